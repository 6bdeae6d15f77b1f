/** Takes the text of a file of ABAC policies, one JSON object a line; gives the policies, or names the first faulty line. */
import { isRecord, own } from "../../../base/members.js";
import { messageOf } from "../../../base/index.js";
import { ConfigurationError } from "../../configuration/section.js";

/** `*` stands for everything; an empty text fits nothing. */
export interface Policy {
  readonly user: string;
  readonly group: string;
  /** Permits get, list and watch alone. */
  readonly readonly: boolean;
  readonly namespace: string;
  readonly resource: string;
  readonly apiGroup: string;
  readonly nonResourcePath: string;
}

const version = "abac.authorization.kubernetes.io/v1beta1";
const authenticated = "system:authenticated";

/** Throws a ConfigurationError that begins with the file's name, as kube-apiserver words it. */
export function readPolicies(text: string, name: string): readonly Policy[] {
  return text.split("\n").flatMap((line, index) => {
    const trimmed = line.trim();
    if (trimmed === "" || trimmed.startsWith("#")) return [];
    try {
      return [policyIn(trimmed)];
    } catch (error) {
      const where = `error reading policy file ${name}, line ${index + 1}: ${trimmed}`;
      throw new ConfigurationError(`${where}: ${messageOf(error)}`, { cause: error });
    }
  });
}

function policyIn(line: string): Policy {
  const value = parsed(line);
  const [apiVersion, kind] = [textIn(value, "apiVersion"), textIn(value, "kind")];
  if (apiVersion === "" || kind === "") return unversioned(value);
  if (apiVersion !== version || kind !== "Policy")
    throw new ConfigurationError(
      `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)}`,
    );
  const spec = own(value, "spec") ?? {};
  if (!isRecord(spec)) throw new ConfigurationError("spec is not an object");
  const policy = {
    ...common(spec),
    apiGroup: textIn(spec, "apiGroup"),
    nonResourcePath: textIn(spec, "nonResourcePath"),
  };
  return policy.user === "*" || policy.group === "*" ? { ...policy, user: "", group: authenticated } : policy;
}

/** The format before there were versions: a field that is left out means everything. */
function unversioned(value: Readonly<Record<string, unknown>>): Policy {
  const policy = common(value);
  const { user, group, namespace, resource } = policy;
  return {
    ...policy,
    group: user === "" && group === "" ? authenticated : group,
    namespace: namespace || "*",
    resource: resource || "*",
    apiGroup: "*",
    nonResourcePath: namespace === "" && resource === "" ? "*" : "",
  };
}

const common = (value: Readonly<Record<string, unknown>>): Omit<Policy, "apiGroup" | "nonResourcePath"> => ({
  user: textIn(value, "user"),
  group: textIn(value, "group"),
  readonly: flagIn(value, "readonly"),
  namespace: textIn(value, "namespace"),
  resource: textIn(value, "resource"),
});

function parsed(line: string): Readonly<Record<string, unknown>> {
  const value: unknown = JSON.parse(line);
  if (!isRecord(value)) throw new ConfigurationError("not a JSON object");
  return value;
}

function textIn(value: Readonly<Record<string, unknown>>, name: string): string {
  const found = own(value, name) ?? "";
  if (typeof found !== "string") throw new ConfigurationError(`${name} is not a string`);
  return found;
}

function flagIn(value: Readonly<Record<string, unknown>>, name: string): boolean {
  const found = own(value, name) ?? false;
  if (typeof found !== "boolean") throw new ConfigurationError(`${name} is not a boolean`);
  return found;
}
