/** Takes an AdmissionConfiguration (apiserver.config.k8s.io), given as text or by a file; gives the settings of the plug-ins. */
import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { ConfigurationError, readConfiguration, type Section } from "../../configuration/section.js";
import { type ConfigurationSource, readFrom, textOf } from "../../configuration/source.js";
import type { LimitedResource } from "../limits/limited-resources.js";
import type { EventRateLimit } from "../optional/event-rate.js";
import type { ImagePolicy } from "../optional/image-policy.js";
import type { NodeSelectors, TolerationSettings } from "../optional/pods.js";
import type { PodSecuritySettings } from "../pod-security/policy.js";
import { noUsers, readImagePolicy, readUsersForHosts, type UserForHost } from "./hooks.js";
import {
  readEventRates,
  readLimitedResources,
  readNodeSelectors,
  readPodSecurity,
  readTolerations,
  withoutExemptions,
} from "./plugins.js";

export interface AdmissionSettings {
  readonly podSecurity: PodSecuritySettings;
  readonly nodeSelectors: NodeSelectors;
  readonly tolerations: TolerationSettings;
  readonly limitedResources: readonly LimitedResource[];
  readonly eventRates: readonly EventRateLimit[];
  /** Undefined unless ImagePolicyWebhook is on. */
  readonly imagePolicy: ImagePolicy | undefined;
  readonly mutatingUsers: UserForHost;
  readonly validatingUsers: UserForHost;
}

const versions = ["apiserver.config.k8s.io/v1", "apiserver.k8s.io/v1alpha1"];

/** `enabled` names plug-ins that are off by default. Rejects for a file that cannot be read, and with a ConfigurationError for one that is faulty. */
export async function readAdmissionSettings(
  source: ConfigurationSource | undefined,
  enabled: readonly string[],
): Promise<AdmissionSettings> {
  const texts = source === undefined ? new Map<string, string>() : await textsOf(source);
  for (const plugin of ["EventRateLimit", "ImagePolicyWebhook"]) {
    if (!enabled.includes(plugin)) texts.delete(plugin);
    else if (!texts.has(plugin)) about(plugin, () => raise(new ConfigurationError("no config specified")));
  }
  const read = <T>(plugin: string, reader: (text: string) => T, otherwise: T): T => {
    const text = texts.get(plugin);
    return text === undefined ? otherwise : about(plugin, () => reader(text));
  };
  const readAsync = async <T>(plugin: string, reader: (text: string) => Promise<T>, otherwise: T): Promise<T> => {
    const text = texts.get(plugin);
    return text === undefined ? otherwise : reader(text).catch((error: unknown) => about(plugin, () => raise(error)));
  };
  return {
    podSecurity: read("PodSecurity", readPodSecurity, withoutExemptions),
    nodeSelectors: read("PodNodeSelector", readNodeSelectors, new Map()),
    tolerations: read("PodTolerationRestriction", readTolerations, { defaults: [], permitted: [] }),
    limitedResources: read("ResourceQuota", readLimitedResources, []),
    eventRates: read("EventRateLimit", readEventRates, []),
    imagePolicy: await readAsync("ImagePolicyWebhook", readImagePolicy, undefined),
    mutatingUsers: await readAsync("MutatingAdmissionWebhook", readUsersForHosts, noUsers),
    validatingUsers: await readAsync("ValidatingAdmissionWebhook", readUsersForHosts, noUsers),
  };
}

function raise(error: unknown): never {
  throw error;
}

/** A fault names its plug-in. */
function about<T>(plugin: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    throw new ConfigurationError(`couldn't init admission plugin ${JSON.stringify(plugin)}: ${error.message}`, {
      cause: error,
    });
  }
}

/** The text for each plug-in that has some. Of two entries with one name the first counts, as upstream. */
async function textsOf(source: ConfigurationSource): Promise<Map<string, string>> {
  const folder = typeof source === "string" ? "." : dirname(source.file);
  const expected = { kind: "AdmissionConfiguration", apiVersions: versions, strict: true };
  const read = (text: string): readonly Entry[] =>
    readConfiguration(text, expected, (file) => file.sections("plugins").map(entryOf)).value;
  const found = new Map<string, string>();
  for (const { name, path, inline } of readFrom(source, await textOf(source), read)) {
    const text = path === "" ? inline : await readFile(resolve(folder, path), "utf8");
    if (text !== undefined && !found.has(name)) found.set(name, text);
  }
  return found;
}

interface Entry {
  readonly name: string;
  readonly path: string;
  /** The settings as they stand in the entry itself. */
  readonly inline: string | undefined;
}

const entryOf = (section: Section): Entry => ({
  name: section.text("name"),
  path: section.text("path"),
  inline: section.json("configuration"),
});
