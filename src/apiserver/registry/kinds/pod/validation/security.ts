/** Rules for security contexts of pods and containers. */
import {
  type AppArmorProfile,
  byteLength,
  isDns1123Subdomain,
  isGroupId,
  isUserId,
  type PodSecurityContext,
  type PodSpec,
  type SeccompProfile,
  type SecurityContext,
  type WindowsSecurityContextOptions,
} from "../../../../../api/index.js";
import {
  descendingPath,
  formed,
  type Issues,
  optionalOneOf,
  type Path,
  required,
  type ValueRule,
} from "../../rules/issues.js";

function numbers(at: Path, value: number | undefined, rule: (id: number) => readonly string[]): Issues {
  return value === undefined ? [] : rule(value).map((complaint) => at.invalid(value, complaint));
}

export function* podSecurityRules(specAt: Path, spec: PodSpec): Issues {
  const context = spec.securityContext;
  if (context === undefined) return;
  const sharesHost = spec.shareProcessNamespace === true && spec.hostPID === true;
  // the empty context that defaulting adds to most pods needs no checks
  if (!sharesHost && Object.keys(context).length === 0) return;
  const at = specAt.child("securityContext");
  yield* numbers(at.child("fsGroup"), context.fsGroup, isGroupId);
  yield* numbers(at.child("runAsUser"), context.runAsUser, isUserId);
  yield* numbers(at.child("runAsGroup"), context.runAsGroup, isGroupId);
  for (const [here, group] of at.child("supplementalGroups").items(context.supplementalGroups)) {
    yield* numbers(here, group, isGroupId);
  }
  if (sharesHost) {
    const why = "ShareProcessNamespace and HostPID cannot both be enabled";
    yield at.child("shareProcessNamespace").invalid(true, why);
  }
  yield* sysctls(at.child("sysctls"), context, spec);
  yield* optionalOneOf(at.child("fsGroupChangePolicy"), context.fsGroupChangePolicy, ["Always", "OnRootMismatch"]);
  yield* seccomp(at.child("seccompProfile"), context.seccompProfile);
  yield* windowsOptions(at.child("windowsOptions"), context.windowsOptions);
  yield* appArmorRules(at.child("appArmorProfile"), context.appArmorProfile);
  yield* optionalOneOf(at.child("supplementalGroupsPolicy"), context.supplementalGroupsPolicy, ["Merge", "Strict"]);
  if (context.seLinuxChangePolicy !== "MountOption") {
    yield* optionalOneOf(at.child("seLinuxChangePolicy"), context.seLinuxChangePolicy, ["Recursive"]);
  }
}

const sysctlSegment = "[a-z0-9]([-_a-z0-9]*[a-z0-9])?";
const sysctlPattern = `^(${sysctlSegment}[\\./])*${sysctlSegment}$`;
const sysctlName = new RegExp(sysctlPattern);

function* sysctls(at: Path, context: PodSecurityContext, spec: PodSpec): Issues {
  const names = new Set<string>();
  for (const [place, { name = "" }] of at.items(context.sysctls)) {
    const here = place.child("name");
    if (name === "") yield here.required();
    else if (name.length > 253 || !sysctlName.test(name)) {
      yield here.invalid(name, `must have at most 253 characters and match regex ${sysctlPattern}`);
    } else if (names.has(name)) yield here.duplicate(name);
    const dotted = withDots(name);
    if (spec.hostNetwork === true && dotted.startsWith("net.")) {
      yield here.invalid(name, "may not be specified when 'hostNetwork' is true");
    } else if (spec.hostIPC === true && isIpcSysctl(dotted)) {
      yield here.invalid(name, "may not be specified when 'hostIPC' is true");
    }
    names.add(name);
  }
}

/** The first of the two separators decides: `net/ipv4/conf` and `net.ipv4.conf` are the same. */
function withDots(name: string): string {
  const slash = name.indexOf("/");
  const dot = name.indexOf(".");
  return slash !== -1 && (dot === -1 || slash < dot) ? name.replace(/[./]/g, (c) => (c === "/" ? "." : "/")) : name;
}

const isIpcSysctl = (name: string): boolean =>
  name === "kernel.sem" ||
  name.startsWith("kernel.shm") ||
  name.startsWith("kernel.msg") ||
  name.startsWith("fs.mqueue.");

const profileType: ValueRule = (at, type) => optionalOneOf(at, type, ["Localhost", "RuntimeDefault", "Unconfined"]);

function* seccomp(at: Path, profile: SeccompProfile | undefined): Issues {
  if (profile === undefined) return;
  const missing = "type is required when seccompProfile is set";
  yield* required(at.child("type"), profile.type, profileType, missing);
  const here = at.child("localhostProfile");
  if (profile.type === "Localhost") {
    if (profile.localhostProfile === undefined) {
      yield here.required("must be set when seccomp type is Localhost");
    } else yield* descendingPath(here, profile.localhostProfile);
  } else if (profile.localhostProfile !== undefined) {
    const shown = { Type: profile.type, LocalhostProfile: profile.localhostProfile };
    yield here.invalid(shown, "can only be set when seccomp type is Localhost");
  }
}

export function* appArmorRules(at: Path, profile: AppArmorProfile | undefined): Issues {
  if (profile === undefined) return;
  const here = at.child("localhostProfile");
  const name = profile.localhostProfile;
  switch (profile.type as string) {
    case "Localhost":
      if (name === undefined || name === "") {
        yield here.required("must be set when AppArmor type is Localhost");
      } else {
        if (name.trim() !== name) yield here.invalid(name, "must not be padded with whitespace");
        if (byteLength(name) > 4095) yield here.tooLong(4095);
      }
      return;
    case "RuntimeDefault":
    case "Unconfined":
      if (name !== undefined) yield here.invalid(name, "can only be set when AppArmor type is Localhost");
      return;
    default:
      yield* required(at.child("type"), profile.type, profileType, "type is required when appArmorProfile is set");
  }
}

export function* containerSecurity(at: Path, context: SecurityContext | undefined, hostUsers: boolean): Issues {
  if (context === undefined) return;
  yield* numbers(at.child("runAsUser"), context.runAsUser, isUserId);
  yield* numbers(at.child("runAsGroup"), context.runAsGroup, isGroupId);
  yield* optionalOneOf(at.child("procMount"), context.procMount, ["Default", "Unmasked"]);
  if (hostUsers && context.procMount === "Unmasked") {
    yield at.child("procMount").invalid(context.procMount, "`hostUsers` must be false to use `Unmasked`");
  }
  yield* seccomp(at.child("seccompProfile"), context.seccompProfile);
  if (context.allowPrivilegeEscalation === false) {
    const no = "cannot set `allowPrivilegeEscalation` to false and";
    if (context.privileged === true) yield at.invalid(asGo(context), `${no} \`privileged\` to true`);
    for (const capability of context.capabilities?.add ?? []) {
      if (capability === "CAP_SYS_ADMIN") {
        yield at.invalid(asGo(context), `${no} \`capabilities.Add\` CAP_SYS_ADMIN`);
      }
    }
  }
  yield* windowsOptions(at.child("windowsOptions"), context.windowsOptions);
  yield* appArmorRules(at.child("appArmorProfile"), context.appArmorProfile);
}

/** The context as messages print it: a Go struct without JSON names, with every field. */
function asGo(context: SecurityContext): unknown {
  const { capabilities, seccompProfile, appArmorProfile, seLinuxOptions, windowsOptions } = context;
  return {
    Capabilities:
      capabilities === undefined ? null : { Add: capabilities.add ?? null, Drop: capabilities.drop ?? null },
    Privileged: context.privileged ?? null,
    SELinuxOptions: seLinuxOptions ?? null,
    WindowsOptions: windowsOptions ?? null,
    RunAsUser: context.runAsUser ?? null,
    RunAsGroup: context.runAsGroup ?? null,
    RunAsNonRoot: context.runAsNonRoot ?? null,
    ReadOnlyRootFilesystem: context.readOnlyRootFilesystem ?? null,
    AllowPrivilegeEscalation: context.allowPrivilegeEscalation ?? null,
    ProcMount: context.procMount ?? null,
    SeccompProfile: seccompProfile ?? null,
    AppArmorProfile: appArmorProfile ?? null,
  };
}

function* windowsOptions(at: Path, options: WindowsSecurityContextOptions | undefined): Issues {
  if (options === undefined) return;
  const { gmsaCredentialSpecName, gmsaCredentialSpec, runAsUserName } = options;
  if (gmsaCredentialSpecName !== undefined) {
    const here = at.child("gmsaCredentialSpecName");
    yield* formed(here, gmsaCredentialSpecName, isDns1123Subdomain(gmsaCredentialSpecName));
  }
  if (gmsaCredentialSpec !== undefined) {
    const here = at.child("gmsaCredentialSpec");
    if (gmsaCredentialSpec === "") {
      yield here.invalid(gmsaCredentialSpec, "gmsaCredentialSpec cannot be an empty string");
    } else if (byteLength(gmsaCredentialSpec) > 64 * 1024) {
      yield here.invalid(gmsaCredentialSpec, "gmsaCredentialSpec size must be under 64 KiB");
    }
  }
  if (runAsUserName !== undefined) {
    for (const why of userNameComplaints(runAsUserName)) {
      yield at.child("runAsUserName").invalid(runAsUserName, `runAsUserName${why}`);
    }
  }
}

const netBios = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/;
const dnsName = /^[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/;

function* userNameComplaints(name: string): Iterable<string> {
  const parts = name.split("\\");
  if (name === "") yield " cannot be an empty string";
  else if (/\p{Cc}/u.test(name)) yield " cannot contain control characters";
  else if (parts.length > 2) yield " cannot contain more than one backslash";
  else {
    const user = parts.at(-1) as string;
    const domain = parts.length === 2 ? (parts[0] as string) : undefined;
    if (domain !== undefined && domain.length >= 256) yield "'s Domain length must be under 256 characters";
    if (domain !== undefined && !netBios.test(domain) && !dnsName.test(domain)) {
      yield "'s Domain doesn't match the NetBios nor the DNS format";
    }
    if (user === "") yield "'s User cannot be empty";
    else if (user.length > 104) yield "'s User length must not be longer than 104 characters";
    if (/^[. ]+$/.test(user)) yield "'s User cannot contain only periods or spaces";
    if (/["/\\:;|=,+*?<>@[\]]/.test(user)) {
      yield `'s User cannot contain the following characters: "/\\:;|=,+*?<>@[]`;
    }
  }
}

/** In a pod with a host process container, all containers must be host processes, in the host's network. */
export function* hostProcess(at: Path, spec: PodSpec): Issues {
  const ofPod = spec.securityContext?.windowsOptions?.hostProcess;
  const containers = visitedContainers(at, spec);
  let hosts = 0;
  for (const { container, path } of containers) {
    const own = container.securityContext?.windowsOptions?.hostProcess;
    if (ofPod !== undefined && own !== undefined && ofPod !== own) {
      const here = path.child("securityContext", "windowsOptions", "hostProcess");
      yield here.invalid(own, `pod hostProcess value must be identical if both are specified, was ${ofPod}`);
    }
    if (own ?? ofPod) hosts++;
  }
  if (hosts === 0) return;
  if (hosts !== containers.length) {
    yield at.invalid(
      "",
      "If pod contains any hostProcess containers then all containers must be HostProcess containers",
    );
  }
  if (spec.hostNetwork !== true) {
    const why = "hostNetwork must be true if pod contains any hostProcess containers";
    yield at.child("hostNetwork").invalid(false, why);
  }
}

interface Visited {
  readonly container: Pick<
    NonNullable<PodSpec["containers"]>[number],
    "name" | "env" | "volumeDevices" | "securityContext"
  >;
  readonly path: Path;
}

/** Init containers come first, as upstream visits them. */
export function visitedContainers(at: Path, spec: PodSpec): readonly Visited[] {
  const visited: Visited[] = [];
  for (const list of ["initContainers", "containers", "ephemeralContainers"] as const) {
    const containers = spec[list] ?? [];
    for (let i = 0; i < containers.length; i++) {
      visited.push({ container: containers[i] as Visited["container"], path: at.child(list).index(i) });
    }
  }
  return visited;
}

/** The fields that a pod must not set for its operating system. */
export function* operatingSystem(at: Path, spec: PodSpec): Issues {
  const os: string | undefined = spec.os === undefined ? undefined : (spec.os.name ?? "");
  if (os === undefined) return;
  if (os === "") yield at.child("os", "name").required();
  else if (os === "linux") yield* forLinux(at, spec);
  else if (os === "windows") yield* forWindows(at, spec);
  else yield at.child("os").notSupported(os, ["linux", "windows"]);
}

function* forLinux(at: Path, spec: PodSpec): Issues {
  const why = "windows options cannot be set for a linux pod";
  const here = at.child("securityContext");
  if (spec.securityContext?.windowsOptions !== undefined) yield here.child("windowsOptions").forbidden(why);
  for (const { container, path } of visitedContainers(at, spec)) {
    if (container.securityContext?.windowsOptions === undefined) continue;
    yield path.child("securityContext", "windowsOptions").forbidden(why);
  }
}

function* forWindows(at: Path, spec: PodSpec): Issues {
  const ofContext = Object.entries(spec.securityContext ?? {}).map(([name, value]) => [contextField(name), value]);
  yield* forbidden(at, { ...spec, ...Object.fromEntries(ofContext) }, linuxOnly.pod);
  for (const { container, path } of visitedContainers(at, spec)) {
    yield* forbidden(path.child("securityContext"), { ...container.securityContext }, linuxOnly.container);
  }
}

function* forbidden(at: Path, given: Readonly<Record<string, unknown>>, names: readonly string[]): Issues {
  for (const name of names) {
    if (given[name] !== undefined) yield at.child(name).forbidden("cannot be set for a windows pod");
  }
}

const contextField = (name: string): string => `securityContext.${name}`;

/** In the order in which upstream checks them. */
const linuxOnly = {
  pod: [
    ...["appArmorProfile", "seLinuxOptions"].map(contextField),
    "hostUsers",
    "hostPID",
    "hostIPC",
    ...["seccompProfile", "fsGroup", "fsGroupChangePolicy", "sysctls"].map(contextField),
    "shareProcessNamespace",
    ...["runAsUser", "runAsGroup", "supplementalGroups", "supplementalGroupsPolicy"].map(contextField),
    contextField("seLinuxChangePolicy"),
  ],
  container: [
    "appArmorProfile",
    "seLinuxOptions",
    "seccompProfile",
    "capabilities",
    "readOnlyRootFilesystem",
    "privileged",
    "allowPrivilegeEscalation",
    "procMount",
    "runAsUser",
    "runAsGroup",
  ],
} as const;
