/**
 * The names and types of expressions about requests: the request, its objects and namespace, parameters, permissions,
 * variables, patches.
 */
import { type CelEnvironment, overload, type TypeProvider } from "../checker/environment.js";
import * as types from "../values/types.js";
import type { Type } from "../values/types.js";
import { authorizerType, resourceCheckType } from "../kubernetes/authorizer.js";
import { kubernetesFunctions } from "../kubernetes/libraries.js";
import { own } from "../../../base/members.js";

/** The names that an expression may use besides those of the request. */
export interface Names {
  readonly params: boolean;
  /** The types of variables by name; undefined if an expression may use no variables. */
  readonly variables: ReadonlyMap<string, Type> | "any" | undefined;
  readonly authorizer: boolean;
  /** Whether an expression may construct `Object{…}` and `JSONPatch{…}`. */
  readonly patches?: boolean;
  /** The types of the objects and parameters, where one kind is looked at; by default they may have any type. */
  readonly typed?: Typed;
}

interface Typed {
  readonly object: Type;
  readonly params: Type;
  readonly types: TypeProvider;
}

const { string, dyn, timestamp, int } = types;
const texts = types.list(string);
const textMap = types.map(string, string);
const struct = (name: string): Type => types.struct(`kubernetes.${name}`);

const kind = { group: string, version: string, kind: string };
const resource = { group: string, version: string, resource: string };

const structs: Readonly<Record<string, Readonly<Record<string, Type>>>> = {
  "kubernetes.GroupVersionKind": kind,
  "kubernetes.GroupVersionResource": resource,
  "kubernetes.UserInfo": { username: string, uid: string, groups: texts, extra: types.map(string, texts) },
  "kubernetes.AdmissionRequest": {
    kind: struct("GroupVersionKind"),
    resource: struct("GroupVersionResource"),
    subResource: string,
    requestKind: struct("GroupVersionKind"),
    requestResource: struct("GroupVersionResource"),
    requestSubResource: string,
    name: string,
    namespace: string,
    operation: string,
    userInfo: struct("UserInfo"),
    dryRun: types.bool,
    options: dyn,
  },
  "kubernetes.Namespace": {
    metadata: struct("NamespaceMetadata"),
    spec: struct("NamespaceSpec"),
    status: struct("NamespaceStatus"),
  },
  "kubernetes.NamespaceSpec": { finalizers: texts },
  "kubernetes.NamespaceStatus": { conditions: types.list(struct("NamespaceCondition")), phase: string },
  "kubernetes.NamespaceCondition": {
    status: string,
    type: string,
    lastTransitionTime: timestamp,
    message: string,
    reason: string,
  },
  "kubernetes.NamespaceMetadata": {
    name: string,
    generateName: string,
    namespace: string,
    labels: textMap,
    annotations: textMap,
    UID: string,
    creationTimestamp: timestamp,
    deletionGracePeriodSeconds: int,
    deletionTimestamp: timestamp,
    generation: int,
    resourceVersion: string,
    finalizers: texts,
  },
};

const patch: Readonly<Record<string, Type>> = { op: string, path: string, from: string, value: dyn };
const isObject = (name: string): boolean => name === "Object" || name.startsWith("Object.");

const escapeKey = overload("string_jsonpatch_escapeKey_string", "(string) -> string", ([key]: [string], meter) => {
  meter.read(key.length);
  return key.replaceAll("~", "~0").replaceAll("/", "~1");
});

const patchFunctions: CelEnvironment["functions"] = new Map([
  ...kubernetesFunctions,
  ["jsonpatch.escapeKey", [escapeKey]],
]);

export function environmentFor({ params, variables, authorizer, patches = false, typed }: Names): CelEnvironment {
  const provider: TypeProvider = {
    fieldType: (name, field) => {
      if (name === "kubernetes.variables") return variables === "any" ? dyn : variables?.get(field);
      if (patches && isObject(name)) return dyn;
      return (
        own(patches && name === "JSONPatch" ? patch : own(structs, name), field) ?? typed?.types.fieldType(name, field)
      );
    },
    named: (name) => {
      const known = Object.hasOwn(structs, name) || (patches && (name === "JSONPatch" || isObject(name)));
      return known ? types.struct(name) : typed?.types.named(name);
    },
  };
  const names: (readonly [string, Type])[] = [
    ["object", typed?.object ?? dyn],
    ["oldObject", typed?.object ?? dyn],
    ["namespaceObject", struct("Namespace")],
    ["request", struct("AdmissionRequest")],
  ];
  if (params) names.push(["params", typed?.params ?? dyn]);
  if (authorizer) names.push(["authorizer", authorizerType]);
  // upstream's check against types does not know it
  if (authorizer && typed === undefined) names.push(["authorizer.requestResource", resourceCheckType]);
  if (variables !== undefined) names.push(["variables", types.struct("kubernetes.variables")]);
  return { functions: patches ? patchFunctions : kubernetesFunctions, variables: new Map(names), types: provider };
}
