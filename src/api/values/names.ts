/** The rules for names: each function takes a text and gives its faults, in the words of the API server. */

/** Empty if the text is good. */
export type Complaints = readonly string[];

const good: Complaints = [];

const label1123 = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const subdomain1123 = `${label1123}(\\.${label1123})*`;
const label1035 = "[a-z]([-a-z0-9]*[a-z0-9])?";
const labelUnderscore = "_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?";
const subdomainUnderscore = `${labelUnderscore}(\\.${labelUnderscore})*`;
const wildcard1123 = `\\*\\.${subdomain1123}`;
const qualified = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
const labelValue = `(${qualified})?`;
const cIdentifier = "[A-Za-z_][A-Za-z0-9_]*";
const percent = "[0-9]+%";
const httpHeader = "[-A-Za-z0-9]+";
const envVar = "[-._a-zA-Z][-._a-zA-Z0-9]*";
const configKey = "[-._a-zA-Z0-9]+";

interface Form {
  readonly pattern: RegExp;
  readonly complaint: string;
}

function form(source: string, what: string, ...examples: readonly string[]): Form {
  return { pattern: new RegExp(`^${source}$`), complaint: patternComplaint(what, source, examples) };
}

/** The message about a text that does not match a regular expression, with examples if there are any. */
export function patternComplaint(what: string, source: string, examples: readonly string[] = []): string {
  const rule = `regex used for validation is '${source}'`;
  return examples.length === 0
    ? `${what} (${rule})`
    : `${what} (e.g. ${examples.map((example) => `'${example}', `).join(" or ")}${rule})`;
}

const forms = {
  label1123: form(
    label1123,
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
    "my-name",
    "123-abc",
  ),
  subdomain1123: form(
    subdomain1123,
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
    "example.com",
  ),
  subdomainUnderscore: form(
    subdomainUnderscore,
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character",
    "example.com",
  ),
  label1035: form(
    label1035,
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
    "my-name",
    "abc-123",
  ),
  wildcard1123: form(
    wildcard1123,
    "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character",
    "*.example.com",
  ),
  qualified: form(
    qualified,
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
    "MyName",
    "my.name",
    "123-abc",
  ),
  labelValue: form(
    labelValue,
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
    "MyValue",
    "my_value",
    "12345",
  ),
  cIdentifier: form(
    cIdentifier,
    "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_'",
    "my_name",
    "MY_NAME",
    "MyName",
  ),
  percent: form(percent, "a valid percent string must be a numeric string followed by an ending '%'", "1%", "93%"),
  httpHeader: form(httpHeader, "a valid HTTP header must consist of alphanumeric characters or '-'", "X-Header-Name"),
  envVar: form(
    envVar,
    "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and must not start with a digit",
    "my.env-name",
    "MY_ENV.NAME",
    "MyEnvName1",
  ),
  configKey: form(
    configKey,
    "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
    "key.name",
    "KEY_NAME",
    "key-name",
  ),
} as const;

/** The length in bytes of UTF-8, the unit of all limits. */
export function byteLength(text: string): number {
  return Buffer.byteLength(text);
}

function tooLong(text: string, limit: number): boolean {
  return text.length > limit || (text.length * 3 > limit && byteLength(text) > limit);
}

const maxLengthComplaint = (limit: number): string => `must be no more than ${limit} characters`;
const maxBytesComplaint = (limit: number): string => `must be no more than ${limit} bytes`;
export const rangeComplaint = (low: number, high: number): string => `must be between ${low} and ${high}, inclusive`;
const empty = "must be non-empty";

function check(text: string, { pattern, complaint }: Form, limit: number): Complaints {
  const long = tooLong(text, limit);
  const fits = pattern.test(text);
  if (!long && fits) return good;
  return [...(long ? [maxLengthComplaint(limit)] : []), ...(fits ? [] : [complaint])];
}

export const isDns1123Subdomain = (text: string): Complaints => check(text, forms.subdomain1123, 253);
export const isDns1123SubdomainWithUnderscore = (text: string): Complaints =>
  check(text, forms.subdomainUnderscore, 253);
export const isDns1035Label = (text: string): Complaints => check(text, forms.label1035, 63);
export const isWildcardDns1123Subdomain = (text: string): Complaints => check(text, forms.wildcard1123, 253);

export function isDns1123Label(text: string): Complaints {
  const complaints = check(text, forms.label1123, 63);
  if (complaints === good || !forms.subdomain1123.pattern.test(text) || forms.label1123.pattern.test(text)) {
    return complaints;
  }
  return [...(tooLong(text, 63) ? [maxLengthComplaint(63)] : []), "must not contain dots"];
}

/** A label or annotation key: an optional DNS subdomain and `/`, then a name of up to 63 characters. */
export function isQualifiedName(text: string): Complaints {
  const slash = text.indexOf("/");
  if (slash !== -1 && text.indexOf("/", slash + 1) !== -1) {
    return [
      `a valid label key ${forms.qualified.complaint} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  const name = slash === -1 ? text : text.slice(slash + 1);
  const complaints: string[] = [];
  if (slash === 0) complaints.push(`prefix part ${empty}`);
  else if (slash > 0) {
    const prefix = text.slice(0, slash);
    if (tooLong(prefix, 253)) complaints.push(`prefix part ${maxBytesComplaint(253)}`);
    if (!forms.subdomain1123.pattern.test(prefix)) complaints.push(`prefix part ${forms.subdomain1123.complaint}`);
  }
  if (name === "") complaints.push(`name part ${empty}`);
  else if (tooLong(name, 63)) complaints.push(`name part ${maxBytesComplaint(63)}`);
  if (!forms.qualified.pattern.test(name)) complaints.push(`name part ${forms.qualified.complaint}`);
  return complaints.length === 0 ? good : complaints;
}

export function isLabelValue(text: string): Complaints {
  const long = tooLong(text, 63);
  const fits = forms.labelValue.pattern.test(text);
  if (!long && fits) return good;
  return [...(long ? [maxBytesComplaint(63)] : []), ...(fits ? [] : [forms.labelValue.complaint])];
}

const matches = (text: string, { pattern, complaint }: Form): Complaints => (pattern.test(text) ? good : [complaint]);

export const isCIdentifier = (text: string): Complaints => matches(text, forms.cIdentifier);
export const isPercent = (text: string): Complaints => matches(text, forms.percent);
export const isHttpHeaderName = (text: string): Complaints => matches(text, forms.httpHeader);

function isInRange(value: number, low: number, high: number): Complaints {
  return value >= low && value <= high ? good : [rangeComplaint(low, high)];
}

export const isPortNumber = (port: number): Complaints => isInRange(port, 1, 65_535);
export const isUserId = (uid: number): Complaints => isInRange(uid, 0, 2 ** 31 - 1);
export const isGroupId = (gid: number): Complaints => isInRange(gid, 0, 2 ** 31 - 1);

/** The name of a port: an IANA service name (RFC 6335, section 5.1). */
export function isPortName(name: string): Complaints {
  const complaints: string[] = [];
  if (tooLong(name, 15)) complaints.push(maxLengthComplaint(15));
  if (!/^[-a-z0-9]+$/.test(name)) {
    complaints.push("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
  }
  if (!/[a-z]/.test(name)) complaints.push("must contain at least one letter (a-z)");
  if (name.includes("--")) complaints.push("must not contain consecutive hyphens");
  if (name.startsWith("-") || name.endsWith("-")) complaints.push("must not begin or end with a hyphen");
  return complaints.length === 0 ? good : complaints;
}

function leavesFolder(text: string): Complaints {
  if (text === ".") return ["must not be '.'"];
  if (text === "..") return ["must not be '..'"];
  return text.startsWith("..") ? ["must not start with '..'"] : good;
}

export const isEnvVarName = (text: string): Complaints => [...matches(text, forms.envVar), ...leavesFolder(text)];

/** The rule for names of environment variables since Kubernetes 1.30: printable ASCII but `=`. */
export function isRelaxedEnvVarName(text: string): Complaints {
  if (text === "") return [`environment variable name ${empty}`];
  return /^[\x20-\x3c\x3e-\x7e]+$/.test(text)
    ? good
    : ["a valid environment variable name must consist only of printable ASCII characters other than '='"];
}

/** A key in the data of a ConfigMap or Secret. */
export const isConfigMapKey = (text: string): Complaints => [
  ...check(text, forms.configKey, 253),
  ...leavesFolder(text),
];

/** A name that must stand as one segment of a URL path, such as that of an RBAC object. */
export function isPathSegmentName(name: string): Complaints {
  if (name === "." || name === "..") return [`may not be '${name}'`];
  return ["/", "%"].filter((part) => name.includes(part)).map((part) => `may not contain '${part}'`);
}
