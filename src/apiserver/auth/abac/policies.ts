/** Takes the text of a file of ABAC policies, an object a line; gives the policies, or names the first faulty line. */
import { defined } from "../../../base/defined.js";
import { isRecord, own } from "../../../base/members.js";
import { messageOf } from "../../../base/index.js";
import { jsonKind } from "../../../api/schema/index.js";
import { yamlToJson } from "../../../api/yaml/index.js";
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

const versions = ["abac.authorization.kubernetes.io/v0", "abac.authorization.kubernetes.io/v1beta1"] as const;
/** A star for a user or a group: all who are authenticated. */
const everyone = { user: "", group: "system:authenticated" } as const;

/** Throws a ConfigurationError that begins with the file's name, as kube-apiserver words it. */
export function readPolicies(text: string, name: string): readonly Policy[] {
  return text.split(/\r?\n/).flatMap((line, index) => {
    const trimmed = line.trim();
    if (trimmed === "" || trimmed.startsWith("#")) return [];
    try {
      return [policyIn(trimmed)];
    } catch (error) {
      const where = `error reading policy file ${name}, line ${index + 1}: ${line}`;
      throw new ConfigurationError(`${where}: ${messageOf(error)}`, { cause: error });
    }
  });
}

/** As upstream, a line that names no version is of the format before there were versions, and one that names no kind is a policy. */
function policyIn(line: string): Policy {
  const { value, named } = identified(line);
  const { apiVersion = versions[0], kind = "Policy" } = named;
  if (kind !== "Policy" || !versions.some((one) => one === apiVersion)) {
    // the name of upstream's scheme is part of the message
    const words = `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)}`;
    throw new ConfigurationError(`${words} in scheme "pkg/runtime/scheme.go:111"`);
  }
  if (apiVersion === versions[0]) return unversioned(value);
  if (named.kind === undefined)
    throw new ConfigurationError("converting (v1beta1.Policy) to (v0.Policy): unknown conversion");
  const spec = own(value, "spec") ?? {};
  if (!isRecord(spec)) throw mismatch(spec, "Policy.spec", "v1beta1.PolicySpec");
  const policy = {
    ...common(spec, "PolicySpec.spec"),
    apiGroup: textIn(spec, "PolicySpec.spec", "apiGroup"),
    nonResourcePath: textIn(spec, "PolicySpec.spec", "nonResourcePath"),
  };
  return policy.user === "*" || policy.group === "*" ? { ...policy, ...everyone } : policy;
}

/** The format before there were versions: a field that is left out means everything. */
function unversioned(value: Members): Policy {
  const policy = common(value, "Policy");
  const { user, group, namespace, resource } = policy;
  return {
    ...policy,
    ...(user === "*" || group === "*" || (user === "" && group === "") ? everyone : {}),
    namespace: namespace || "*",
    resource: resource || "*",
    apiGroup: "*",
    nonResourcePath: namespace === "" && resource === "" ? "*" : "",
  };
}

type Members = Readonly<Record<string, unknown>>;

const common = (value: Members, owner: string): Omit<Policy, "apiGroup" | "nonResourcePath"> => ({
  user: textIn(value, owner, "user"),
  group: textIn(value, owner, "group"),
  readonly: flagIn(value, owner, "readonly"),
  namespace: textIn(value, owner, "namespace"),
  resource: textIn(value, owner, "resource"),
});

interface Identified {
  readonly value: Members;
  readonly named: { readonly apiVersion?: string; readonly kind?: string };
}

function identified(line: string): Identified {
  try {
    const value = parsed(line);
    const [apiVersion, kind] = [textIn(value, "", "apiVersion"), textIn(value, "", "kind")];
    return { value, named: defined({ apiVersion: apiVersion || undefined, kind: kind || undefined }) };
  } catch (error) {
    throw new ConfigurationError(`couldn't get version/kind; json parse error: ${messageOf(error)}`, { cause: error });
  }
}

/** As upstream, a line that does not begin as an object of JSON may be YAML, and nothing is an object without members. */
function parsed(line: string): Members {
  const value: unknown = JSON.parse(line.startsWith("{") ? line : yamlToJson(line).json) ?? {};
  if (!isRecord(value)) throw new ConfigurationError(`${kindOf(value)} is not an object`);
  return value;
}

function textIn(value: Members, owner: string, name: string): string {
  const found = own(value, name) ?? "";
  if (typeof found !== "string") throw mismatch(found, `${owner}.${name}`, "string");
  return found;
}

function flagIn(value: Members, owner: string, name: string): boolean {
  const found = own(value, name) ?? false;
  if (typeof found !== "boolean") throw mismatch(found, `${owner}.${name}`, "bool");
  return found;
}

/** In the words of Go's decoder. */
const mismatch = (found: unknown, field: string, type: string): ConfigurationError =>
  new ConfigurationError(`json: cannot unmarshal ${kindOf(found)} into Go struct field ${field} of type ${type}`);

const kindOf = (value: unknown): string => jsonKind(value, { kind: "json" });
