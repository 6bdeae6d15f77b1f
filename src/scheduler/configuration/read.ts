/** Takes a scheduler's configuration as a file's text or as an object; gives it checked and with its defaults. */
import { fieldPath, goQuote } from "../../api/index.js";
import { yamlToJson } from "../../api/yaml/index.js";
import { messageOf } from "../../base/index.js";
import { argumentsOf, type CompletedConfiguration, completed, hasArguments } from "./complete.js";
import { SchedulerConfigurationError, strictError, unknownFields } from "./fields.js";
import { argumentForms, configurationForm } from "./forms.js";
import { enabledPlugins } from "./plugins.js";
import { type SchedulerConfiguration, schedulerConfigurationVersion } from "./types.js";
import { aggregated, configurationFaults, initializing } from "./validate.js";
import { argumentFaults } from "./validate-arguments.js";

/** Reads the text of a file, in YAML or JSON. Throws SchedulerConfigurationError. */
export function parseSchedulerConfiguration(text: string): SchedulerConfiguration {
  let value: unknown;
  try {
    value = JSON.parse(yamlToJson(text).json);
  } catch (error) {
    throw new SchedulerConfigurationError(`couldn't get version/kind; ${messageOf(error)}`, { cause: error });
  }
  const shown = `'${text.trim()}'`;
  const { apiVersion, kind } = (typeof value === "object" && value !== null ? value : {}) as SchedulerConfiguration;
  if (!kind) throw new SchedulerConfigurationError(`Object 'Kind' is missing in ${shown}`);
  if (!apiVersion) throw new SchedulerConfigurationError(`Object 'apiVersion' is missing in ${shown}`);
  checkKind(apiVersion, kind, "");
  const configuration = withoutNulls(value);
  checkFields(configuration);
  return configuration as SchedulerConfiguration;
}

/** `null` is as good as absent; in a list it is an item without members. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => (item === null ? {} : withoutNulls(item)));
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).filter(([, member]) => member !== null && member !== undefined);
  return Object.fromEntries(members.map(([name, member]) => [name, withoutNulls(member)]));
}

function checkKind(version: string, kind: string, where: string): void {
  const known = where === "" ? ["KubeSchedulerConfiguration"] : Object.keys(argumentForms).map((name) => `${name}Args`);
  if (version === schedulerConfigurationVersion && known.includes(kind)) return;
  const wrong = `no kind ${goQuote(String(kind))} is registered for version ${goQuote(String(version))}`;
  throw new SchedulerConfigurationError(`${where}${wrong}`);
}

function checkFields(value: unknown): void {
  const strict = strictError(unknownFields(value, configurationForm));
  const inArguments: string[] = [];
  const { profiles } = value as SchedulerConfiguration;
  for (const [index, profile] of (profiles ?? []).entries()) {
    for (const [at, config] of (profile?.pluginConfig ?? []).entries()) {
      const error = checkArguments(config?.name ?? "", config?.args, `.profiles[${index}].pluginConfig[${at}]`);
      if (error !== undefined) inArguments.push(error);
    }
  }
  if (strict !== undefined) throw new SchedulerConfigurationError(strict);
  if (inArguments.length > 0) {
    throw new SchedulerConfigurationError(`strict decoding error: ${inArguments.join(", ")}`);
  }
}

/** The unknown fields in the arguments of one plug-in; throws for other faults. */
function checkArguments(name: string, args: unknown, path: string): string | undefined {
  if (args === undefined || args === null || !hasArguments(name)) return undefined;
  const where = `decoding args for plugin ${name}: `;
  const { apiVersion = schedulerConfigurationVersion, kind = `${name}Args` } = args as Record<string, string>;
  checkKind(apiVersion, kind, `decoding ${path}: ${where}`);
  try {
    const strict = strictError(unknownFields(args, argumentForms[name]));
    return strict && `decoding ${path}: strict decoding error: ${where}${strict}`;
  } catch (error) {
    throw new SchedulerConfigurationError(`decoding ${path}: ${where}${messageOf(error)}`, { cause: error });
  }
}

/** Checks the configuration and fills its defaults. Throws SchedulerConfigurationError. */
export function completeSchedulerConfiguration(given: SchedulerConfiguration): CompletedConfiguration {
  const formed = withoutNulls(given);
  checkFields(formed);
  const configuration = completed(formed as SchedulerConfiguration);
  const faults = aggregated(configurationFaults(configuration));
  if (faults !== undefined) throw new SchedulerConfigurationError(faults);
  try {
    for (const profile of configuration.profiles) {
      const { schedulerName, plugins } = profile;
      const root = fieldPath("");
      const fit = aggregated(
        withoutRoot(argumentFaults(root, "NodeResourcesFit", argumentsOf(profile, "NodeResourcesFit"))),
      );
      if (fit !== undefined) {
        const what = initializing("NodeResourcesFit", fit);
        throw new SchedulerConfigurationError(`creating profile for scheduler name ${schedulerName}: ${what}`);
      }
      enabledPlugins(plugins, schedulerName);
    }
  } catch (error) {
    throw new SchedulerConfigurationError(`initializing profiles: ${messageOf(error)}`, { cause: error });
  }
  return configuration;
}

/** Faults whose paths begin at the arguments. */
function* withoutRoot(faults: ReturnType<typeof argumentFaults>): ReturnType<typeof argumentFaults> {
  for (const fault of faults) yield { ...fault, field: fault.field.replace(/^\./, "") };
}
