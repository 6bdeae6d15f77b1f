/** Takes the settings of the plug-ins that ask other servers, as text; gives them with the credentials of the kubeconfigs that they name. */
import { isAbsolute } from "node:path";
import { durationFromMs } from "../../../api/index.js";
import { type HookUser, type HookUsers, readHookEndpoint, readHookUsers } from "../../configuration/kubeconfig.js";
import { ConfigurationError, readConfiguration, readFields, type Section } from "../../configuration/section.js";
import type { ImagePolicy } from "../optional/image-policy.js";

/** Takes a webhook's host with its port; undefined for a webhook that is called without credentials. */
export type UserForHost = (host: string) => HookUser | undefined;

export const noUsers: UserForHost = () => undefined;

export async function readUsersForHosts(text: string): Promise<UserForHost> {
  const apiVersions = ["apiserver.config.k8s.io/v1"];
  const expected = { kind: "WebhookAdmissionConfiguration", apiVersions, strict: true };
  const file = readConfiguration(text, expected, kubeconfigIn).value;
  if (file === "") return noUsers;
  const users = await readHookUsers(file);
  return (host) => userFor(host, users);
}

function kubeconfigIn(section: Section): string {
  const file = section.text("kubeConfigFile");
  if (file !== "" && !isAbsolute(file))
    section.fault(section.at("kubeConfigFile").invalid(file, "must be an absolute file path"));
  return file;
}

/** As upstream: the user of this name, with or without a port of 443, then `*`, then the user of the current context. */
function userFor(host: string, { byName, current }: HookUsers): HookUser | undefined {
  const bare = host.endsWith(":443") ? namesFor(host.slice(0, -":443".length)) : [];
  const name = [...namesFor(host), ...bare, "*"].find((one) => byName.has(one));
  return name === undefined ? current : byName.get(name);
}

/** The host itself, and with a star in the place of its first parts. */
function namesFor(host: string): readonly string[] {
  const parts = host.split(".");
  return [host, ...parts.slice(1).map((_, index) => `*.${parts.slice(index + 1).join(".")}`)];
}

const [secondMs, minuteMs] = [1_000, 60_000];
/** In the place of a time it means 0: answers are not kept, or there is no pause. */
const off = -1;

export async function readImagePolicy(text: string): Promise<ImagePolicy> {
  const { kubeconfig, ...policy } = readFields(text, (file) => {
    const section = file.part("imagePolicy");
    const kept = { unitMs: secondMs, leastMs: secondMs, mostMs: 30 * minuteMs, otherwiseMs: 5 * minuteMs };
    const paused = { unitMs: 1, leastMs: 1, mostMs: 5 * minuteMs, otherwiseMs: 500 };
    return {
      kubeconfig: section.text("kubeConfigFile"),
      allowTtlMs: timeIn(section, "allowTTL", kept),
      denyTtlMs: timeIn(section, "denyTTL", kept),
      retryMs: timeIn(section, "retryBackoff", paused),
      defaultAllow: section.flag("defaultAllow") ?? false,
    };
  });
  if (kubeconfig === "") throw new ConfigurationError("imagePolicy.kubeConfigFile: Required value");
  return { ...policy, endpoint: await readHookEndpoint(kubeconfig) };
}

interface Bounds {
  readonly unitMs: number;
  readonly leastMs: number;
  readonly mostMs: number;
  readonly otherwiseMs: number;
}

function timeIn(section: Section, name: string, { unitMs, leastMs, mostMs, otherwiseMs }: Bounds): number {
  const value = section.number(name) ?? 0;
  if (value === off) return 0;
  if (value === 0) return otherwiseMs;
  const ms = value * unitMs;
  if (ms < leastMs || ms > mostMs) {
    const [least, most] = [leastMs, mostMs].map(durationFromMs);
    section.fault(section.at(name).invalid(value, `valid value is between ${least} and ${most}`));
  }
  return ms;
}
