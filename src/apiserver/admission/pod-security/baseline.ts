/** The checks of the baseline level, against known ways for a pod to take over its node. */
import { goQuote, type LifecycleHandler, type PodSpec, type Probe, type SELinuxOptions } from "../../../api/index.js";
import { allContainers } from "../../../api/pods/containers.js";
import { containersNamed, containersWhere, type Objection, plural, quoted, setters, sorted } from "./words.js";

type Annotations = Readonly<Record<string, string>>;

const appArmorAnnotation = "container.apparmor.security.beta.kubernetes.io/";

export function appArmor(spec: PodSpec, annotations: Annotations): Objection | undefined {
  const isBad = (type: string | undefined): boolean =>
    type !== undefined && type !== "RuntimeDefault" && type !== "Localhost";
  const podType = spec.securityContext?.appArmorProfile?.type;
  const types: readonly (string | undefined)[] = [
    podType,
    ...allContainers(spec).map((one) => one.securityContext?.appArmorProfile?.type),
  ];
  const noted = Object.entries(annotations)
    .filter(([key, value]) => key.startsWith(appArmorAnnotation) && !/^(|runtime\/default|localhost\/.*)$/.test(value))
    .map(([key, value]) => `${key}=${goQuote(value)}`)
    .toSorted();
  const bad = containersWhere(spec, (one) => isBad(one.securityContext?.appArmorProfile?.type));
  const who = [setters(isBad(podType), bad), ...(noted.length > 0 ? [plural("annotation", "annotations", noted)] : [])]
    .filter((part) => part !== "")
    .join(" and ");
  if (who === "") return undefined;
  const values = [...sorted(types.filter((type): type is string => isBad(type))), ...noted];
  return {
    reason: plural("forbidden AppArmor profile", "forbidden AppArmor profiles", values),
    details: `${who} must not set AppArmor profile type to ${quoted(values)}`,
  };
}

const harmlessCapabilities = new Set([
  "AUDIT_WRITE",
  "CHOWN",
  "DAC_OVERRIDE",
  "FOWNER",
  "FSETID",
  "KILL",
  "MKNOD",
  "NET_BIND_SERVICE",
  "SETFCAP",
  "SETGID",
  "SETPCAP",
  "SETUID",
  "SYS_CHROOT",
]);

export function capabilities(spec: PodSpec): Objection | undefined {
  const added: string[] = [];
  const bad = containersWhere(spec, ({ securityContext }) => {
    const more = (securityContext?.capabilities?.add ?? []).filter((one) => !harmlessCapabilities.has(one));
    for (const one of more) added.push(one);
    return more.length > 0;
  });
  if (bad.length === 0) return undefined;
  const details = `${containersNamed(bad)} must not include ${quoted(sorted(added))} in securityContext.capabilities.add`;
  return { reason: "non-default capabilities", details };
}

export function hostNamespaces({ hostNetwork, hostPID, hostIPC }: PodSpec): Objection | undefined {
  const shared = Object.entries({ hostNetwork, hostPID, hostIPC }).filter(([, set]) => set);
  if (shared.length === 0) return undefined;
  return { reason: "host namespaces", details: shared.map(([name]) => `${name}=true`).join(", ") };
}

export function hostPaths({ volumes = [] }: PodSpec): Objection | undefined {
  const names = volumes.filter(({ hostPath }) => hostPath !== undefined).map(({ name }) => name);
  if (names.length === 0) return undefined;
  return { reason: "hostPath volumes", details: `${plural("volume", "volumes", names)} ${quoted(names)}` };
}

export function hostPorts(spec: PodSpec): Objection | undefined {
  const taken: string[] = [];
  const bad = containersWhere(spec, ({ ports = [] }) => {
    const own = ports.filter(({ hostPort }) => hostPort).map(({ hostPort }) => String(hostPort));
    for (const one of own) taken.push(one);
    return own.length > 0;
  });
  if (bad.length === 0) return undefined;
  const ports = sorted(taken);
  const uses = plural("uses", "use", bad);
  const details = `${containersNamed(bad)} ${uses} ${plural("hostPort", "hostPorts", ports)} ${ports.join(", ")}`;
  return { reason: "hostPort", details };
}

export function probeHosts(spec: PodSpec): Objection | undefined {
  const hostsOf = (handler: Probe | LifecycleHandler | undefined): readonly string[] =>
    [handler?.httpGet?.host, handler?.tcpSocket?.host].filter((host): host is string => Boolean(host));
  const named: string[] = [];
  const bad = containersWhere(spec, ({ livenessProbe, readinessProbe, startupProbe, lifecycle }) => {
    const handlers = [livenessProbe, readinessProbe, startupProbe, lifecycle?.postStart, lifecycle?.preStop];
    const hosts = handlers.flatMap(hostsOf);
    named.push(...hosts);
    return hosts.length > 0;
  });
  if (bad.length === 0) return undefined;
  const hosts = sorted(named);
  const what = plural("probe or lifecycle host", "probe or lifecycle hosts", hosts);
  const details = `${containersNamed(sorted(bad))} ${plural("uses", "use", bad)} ${what} ${quoted(hosts)}`;
  return { reason: "probe or lifecycle host", details };
}

export function privileged(spec: PodSpec): Objection | undefined {
  const bad = containersWhere(spec, ({ securityContext }) => securityContext?.privileged);
  if (bad.length === 0) return undefined;
  return { reason: "privileged", details: `${containersNamed(bad)} must not set securityContext.privileged=true` };
}

export function procMounts(spec: PodSpec): Objection | undefined {
  const mounts: string[] = [];
  const bad = containersWhere(spec, ({ securityContext }) => {
    const { procMount } = securityContext ?? {};
    if (procMount === undefined || procMount === "Default") return false;
    mounts.push(procMount);
    return true;
  });
  if (bad.length === 0) return undefined;
  const details = `${containersNamed(bad)} must not set securityContext.procMount to ${quoted(sorted(mounts))}`;
  return { reason: "procMount", details };
}

const harmlessLabels = ["", "container_t", "container_init_t", "container_kvm_t"];

export const seLinux =
  (more: readonly string[]) =>
  (spec: PodSpec): Objection | undefined => {
    const types: string[] = [];
    const others = new Set<string>();
    const isBad = (options: SELinuxOptions | undefined): boolean => {
      if (options === undefined) return false;
      const { type = "", user, role } = options;
      const allowed = harmlessLabels.includes(type) || more.includes(type);
      if (!allowed) types.push(type);
      if (user) others.add("user may not be set");
      if (role) others.add("role may not be set");
      return !allowed || Boolean(user) || Boolean(role);
    };
    const pod = isBad(spec.securityContext?.seLinuxOptions);
    const who = setters(
      pod,
      containersWhere(spec, ({ securityContext }) => isBad(securityContext?.seLinuxOptions)),
    );
    if (who === "") return undefined;
    const bad = sorted(types);
    const what = [
      ...(bad.length > 0 ? [`${plural("type", "types", bad)} ${quoted(bad)}`] : []),
      ...["user may not be set", "role may not be set"].filter((one) => others.has(one)),
    ];
    const details = `${who} set forbidden securityContext.seLinuxOptions: ${what.join("; ")}`;
    return { reason: "seLinuxOptions", details };
  };

const seccompAnnotations = {
  pod: "seccomp.security.alpha.kubernetes.io/pod",
  container: "container.seccomp.security.alpha.kubernetes.io/",
};

/** Checks the annotations that were used before there was a seccomp field. */
export function seccompNotes(spec: PodSpec, annotations: Annotations): Objection | undefined {
  const keys = [seccompAnnotations.pod, ...allContainers(spec).map(({ name }) => seccompAnnotations.container + name)];
  const bad = sorted(
    keys
      .filter((key) => annotations[key] !== undefined)
      .filter((key) => !/^(runtime\/default|docker\/default|localhost\/.*)$/.test(annotations[key] as string))
      .map((key) => `${key}=${goQuote(annotations[key] as string)}`),
  );
  if (bad.length === 0) return undefined;
  const details = `forbidden ${plural("annotation", "annotations", bad)} ${bad.join(", ")}`;
  return { reason: "seccompProfile", details };
}

const isBadSeccomp = (type: string | undefined): boolean =>
  type !== undefined && type !== "Localhost" && type !== "RuntimeDefault";

export function seccomp(spec: PodSpec): Objection | undefined {
  const podType = spec.securityContext?.seccompProfile?.type;
  const types: readonly (string | undefined)[] = [
    podType,
    ...allContainers(spec).map((one) => one.securityContext?.seccompProfile?.type),
  ];
  const bad = containersWhere(spec, (one) => isBadSeccomp(one.securityContext?.seccompProfile?.type));
  const who = setters(isBadSeccomp(podType), bad);
  if (who === "") return undefined;
  const values = sorted(types.filter((type): type is string => isBadSeccomp(type)));
  const details = `${who} must not set securityContext.seccompProfile.type to ${quoted(values)}`;
  return { reason: "seccompProfile", details };
}

export const safeSysctls = {
  first: [
    "kernel.shm_rmid_forced",
    "net.ipv4.ip_local_port_range",
    "net.ipv4.tcp_syncookies",
    "net.ipv4.ping_group_range",
    "net.ipv4.ip_unprivileged_port_start",
  ],
  since27: ["net.ipv4.ip_local_reserved_ports"],
  since29: [
    "net.ipv4.tcp_keepalive_time",
    "net.ipv4.tcp_fin_timeout",
    "net.ipv4.tcp_keepalive_intvl",
    "net.ipv4.tcp_keepalive_probes",
  ],
  since32: ["net.ipv4.tcp_rmem", "net.ipv4.tcp_wmem"],
} as const;

export const sysctls =
  (...safe: readonly (readonly string[])[]) =>
  ({ securityContext }: PodSpec): Objection | undefined => {
    const allowed = safe.flat();
    const bad = (securityContext?.sysctls ?? []).map(({ name }) => name).filter((name) => !allowed.includes(name));
    return bad.length === 0 ? undefined : { reason: "forbidden sysctls", details: bad.join(", ") };
  };

export function hostProcesses(spec: PodSpec): Objection | undefined {
  const bad = containersWhere(spec, ({ securityContext }) => securityContext?.windowsOptions?.hostProcess);
  const who = setters(Boolean(spec.securityContext?.windowsOptions?.hostProcess), bad);
  if (who === "") return undefined;
  return { reason: "hostProcess", details: `${who} must not set securityContext.windowsOptions.hostProcess=true` };
}
