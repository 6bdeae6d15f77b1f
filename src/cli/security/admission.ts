/** The file of `--admission-control-config-file` (AdmissionConfiguration): takes its path, gives the options that it sets. */
import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { yamlToJson } from "../../api/yaml/index.js";
import type { ApiServerOptions, EventRateLimit } from "../../apiserver/index.js";
import { isRecord } from "../../base/members.js";

const types: ReadonlySet<unknown> = new Set(["Server", "Namespace", "User", "SourceAndObject"]);

async function recordIn(file: string): Promise<Readonly<Record<string, unknown>>> {
  const value: unknown = JSON.parse(yamlToJson(await readFile(file, "utf8")).json);
  if (!isRecord(value)) throw new Error(`${file} is no configuration`);
  return value;
}

/** Of all plug-ins, the configuration of EventRateLimit is heeded. Rejects for a file that cannot be read or is wrong. */
export async function admissionSettings(file: string | undefined): Promise<ApiServerOptions> {
  if (file === undefined) return {};
  const { kind, plugins = [] } = await recordIn(file);
  if (kind !== "AdmissionConfiguration") throw new Error(`${file}: kind must be AdmissionConfiguration`);
  const named = Array.isArray(plugins) ? plugins.filter(isRecord) : [];
  const own = named.find(({ name }) => name === "EventRateLimit");
  if (own === undefined) return {};
  const { path, configuration } = own;
  const settings = typeof path === "string" ? await recordIn(resolve(dirname(file), path)) : configuration;
  const limits = isRecord(settings) ? settings["limits"] : undefined;
  if (!Array.isArray(limits) || limits.length === 0) throw new Error(`${file}: limits: Required value`);
  return { eventRateLimits: limits.map((limit: unknown, i) => limitOf(limit, `${file}: limits[${i}]`)) };
}

function limitOf(limit: unknown, at: string): EventRateLimit {
  const { type, qps, burst, cacheSize = 4096 } = isRecord(limit) ? limit : {};
  if (!types.has(type)) throw new Error(`${at}.type: must be one of ${[...types].join(", ")}`);
  for (const [name, value] of Object.entries({ qps, burst, cacheSize })) {
    if (!Number.isInteger(value) || (value as number) <= 0) throw new Error(`${at}.${name}: must be positive`);
  }
  return { type, qps, burst, cacheSize } as EventRateLimit;
}
