/** Strategies of config maps and secrets. */
import {
  type ConfigMap,
  deepEqual,
  fieldPath,
  isConfigMapKey,
  byteLength,
  type FieldPath,
  type Secret,
} from "../../../../api/index.js";
import type { Strategy } from "../../../contracts/strategy.js";
import { filled, having } from "../rules/fill.js";
import { inTurn, formed, immutable, type Issues } from "../rules/issues.js";

const maxBytes = 1024 * 1024;
const data = fieldPath("data");

/** The number of bytes that base64 text stands for. */
const decodedLength = (text: string): number => Buffer.byteLength(text, "base64");

/** There may be very many keys, so a path is made for a bad one only. */
function keyRules(at: FieldPath, key: string): Issues {
  const complaints = isConfigMapKey(key);
  return complaints.length === 0 ? [] : formed(at.key(key), key, complaints);
}

function* configMapRules({ data: texts = {}, binaryData: bytes = {} }: ConfigMap): Issues {
  let size = 0;
  for (const key of Object.keys(texts)) {
    yield* keyRules(data, key);
    if (Object.hasOwn(bytes, key)) yield data.key(key).invalid(key, "duplicate of key present in binaryData");
    size += byteLength(texts[key] as string);
  }
  for (const key of Object.keys(bytes)) {
    yield* keyRules(fieldPath("binaryData"), key);
    size += decodedLength(bytes[key] as string);
  }
  if (size > maxBytes) yield fieldPath("[]").tooLong(maxBytes);
}

function* frozen<T extends ConfigMap | Secret>(now: T, old: T, fields: readonly (keyof T & string)[]): Issues {
  if (old.immutable !== true) return;
  const why = "field is immutable when `immutable` is set";
  if (now.immutable !== true) yield fieldPath("immutable").forbidden(why);
  for (const field of fields) {
    if (!deepEqual(now[field] ?? {}, old[field] ?? {})) yield fieldPath(field).forbidden(why);
  }
}

export const configMapStrategy: Strategy<ConfigMap> = {
  group: "",
  kind: "ConfigMap",
  validateCreate: configMapRules,
  validateUpdate: (map, old) => inTurn(frozen(map, old, ["data", "binaryData"]), configMapRules(map)),
};

const accountAnnotation = "kubernetes.io/service-account.name";

function* secretRules(secret: Secret): Issues {
  const bytes = secret.data ?? {};
  let size = 0;
  for (const key of Object.keys(bytes)) {
    yield* keyRules(data, key);
    size += decodedLength(bytes[key] as string);
  }
  if (size > maxBytes) yield data.tooLong(maxBytes);
  yield* contents(secret, bytes);
}

function* contents(secret: Secret, bytes: Readonly<Record<string, string>>): Issues {
  const needs = (...keys: readonly string[]): Issues =>
    keys.filter((key) => bytes[key] === undefined).map((key) => data.key(key).required());
  switch (secret.type) {
    case "kubernetes.io/service-account-token":
      if (!secret.metadata.annotations?.[accountAnnotation]) {
        yield fieldPath("metadata", "annotations").key(accountAnnotation).required();
      }
      return;
    case "kubernetes.io/dockercfg":
      yield* dockerConfig(".dockercfg", bytes);
      return;
    case "kubernetes.io/dockerconfigjson":
      yield* dockerConfig(".dockerconfigjson", bytes);
      return;
    case "kubernetes.io/basic-auth":
      if (bytes["username"] === undefined && bytes["password"] === undefined) yield* needs("username", "password");
      return;
    case "kubernetes.io/ssh-auth":
      if (!bytes["ssh-privatekey"]) yield data.key("ssh-privatekey").required();
      return;
    case "kubernetes.io/tls":
      yield* needs("tls.crt", "tls.key");
      return;
    default:
  }
}

function* dockerConfig(key: string, bytes: Readonly<Record<string, string>>): Issues {
  const text = bytes[key];
  if (text === undefined) {
    yield data.key(key).required();
    return;
  }
  const complaint = jsonObjectComplaint(Buffer.from(text, "base64").toString());
  if (complaint !== undefined) yield data.key(key).invalid("<secret contents redacted>", complaint);
}

/** The fault in the words of Go's decoder, for the common cases. */
function jsonObjectComplaint(text: string): string | undefined {
  const trimmed = text.trim();
  if (trimmed === "") return "unexpected end of JSON input";
  try {
    const value: unknown = JSON.parse(trimmed);
    if (typeof value === "object" && !Array.isArray(value)) return undefined;
    const kind = Array.isArray(value) ? "array" : typeof value === "boolean" ? "bool" : typeof value;
    return `json: cannot unmarshal ${kind} into Go value of type map[string]interface {}`;
  } catch {
    const first = trimmed[0] as string;
    return /[{["\-0-9tfn]/.test(first)
      ? "unexpected end of JSON input"
      : `invalid character '${first}' looking for beginning of value`;
  }
}

/** stringData becomes data, and wins over data of the same key. */
function withBytes(secret: Secret): Secret {
  const { stringData, ...rest } = secret;
  if (stringData === undefined) return secret;
  const encoded = Object.entries(stringData).map(([key, text]) => [key, Buffer.from(text).toString("base64")]);
  return { ...rest, data: { ...secret.data, ...(Object.fromEntries(encoded) as Record<string, string>) } };
}

export const secretStrategy: Strategy<Secret> = {
  group: "",
  kind: "Secret",
  setDefaults: (secret) => filled(withBytes(secret), { type: "Opaque" }),
  prepareForUpdate: (secret, old) => (secret.type ? secret : having(secret, "type", old.type)),
  validateCreate: secretRules,
  validateUpdate: (secret, old) =>
    inTurn(immutable(fieldPath("type"), secret.type, old.type), frozen(secret, old, ["data"]), secretRules(secret)),
  selectableFields: { type: ({ type }) => type ?? "" },
};
