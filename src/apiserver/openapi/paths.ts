/** The paths of an OpenAPI v3 document: the operations on each resource, from its discovery entry. */
import { entriesByName, lookup } from "../../base/members.js";
import { apiVersionOf, type GroupVersionKind } from "../../api/index.js";
import type { Steps } from "../../base/index.js";
import { builtInTypeOf, typeOfKind } from "../../api/schema/index.js";
import type { ServedResource, ServedSubresource } from "../contracts/served.js";
import { type JsonSchema, metaPackage, schemaNameOf, v3 } from "./schemas.js";

const parameterTypes: Readonly<Record<string, "string" | "integer" | "boolean">> = lookup({
  allowWatchBookmarks: "boolean",
  force: "boolean",
  gracePeriodSeconds: "integer",
  ignoreStoreReadErrorWithClusterBreakingPotential: "boolean",
  limit: "integer",
  orphanDependents: "boolean",
  sendInitialEvents: "boolean",
  timeoutSeconds: "integer",
  watch: "boolean",
});

const listParameters = [
  "allowWatchBookmarks",
  "continue",
  "fieldSelector",
  "labelSelector",
  "limit",
  "resourceVersion",
  "resourceVersionMatch",
  "sendInitialEvents",
  "timeoutSeconds",
  "watch",
];
const writeParameters = ["dryRun", "fieldManager", "fieldValidation"];
const deleteParameters = [
  "dryRun",
  "gracePeriodSeconds",
  "ignoreStoreReadErrorWithClusterBreakingPotential",
  "orphanDependents",
  "propagationPolicy",
];
const collectionDeleteParameters = [
  ...new Set([
    ...listParameters.filter((name) => name !== "watch" && name !== "allowWatchBookmarks"),
    ...deleteParameters,
  ]),
].sort();

/** The group and version whose paths are being written. */
interface Home {
  readonly root: string;
  readonly tag: string;
  /** The prefix of operation ids, e.g. `AppsV1`. */
  readonly prefix: string;
  /** Whether kinds are built in: these speak protobuf and take strategic merge patches, custom kinds do not. */
  readonly builtIn: boolean;
}

type PathItem = Record<string, unknown>;

export function* pathsOf(
  group: string,
  version: string,
  resources: readonly ServedResource[],
): Steps<Record<string, PathItem>> {
  const camel = camelGroup(group);
  const home: Home = {
    root: group === "" ? `/api/${version}` : `/apis/${group}/${version}`,
    tag: `${camel}_${version}`,
    prefix: `${capital(camel)}${capital(version)}`,
    builtIn: resources.some((resource) => typeOfKind(resource) !== undefined),
  };
  const paths: Record<string, PathItem> = {};
  if (home.builtIn) paths[`${home.root}/`] = { get: resourceListOperation(home) };
  for (const resource of resources) {
    const namespaced = resource.scope === "Namespaced";
    const base = namespaced
      ? `${home.root}/namespaces/{namespace}/${resource.plural}`
      : `${home.root}/${resource.plural}`;
    const withName = new Operations(home, resource, namespaced ? "Namespaced" : "");
    add(paths, base, withName.collection(), pathParameters(namespaced, false));
    if (namespaced && resource.verbs.includes("list")) {
      add(paths, `${home.root}/${resource.plural}`, withName.allNamespaces(), pathParameters(false, false));
    }
    add(paths, `${base}/{name}`, withName.item(), pathParameters(namespaced, true));
    for (const subresource of resource.subresources) {
      const item = withName.subresource(subresource);
      add(paths, `${base}/{name}/${subresource.name}`, item, pathParameters(namespaced, true));
    }
    yield;
  }
  return Object.fromEntries(entriesByName(paths));
}

function add(paths: Record<string, PathItem>, path: string, item: PathItem, parameters: readonly JsonSchema[]): void {
  if (Object.keys(item).length > 0) paths[path] = { ...item, parameters };
}

class Operations {
  readonly #home: Home;
  readonly #resource: ServedResource;
  readonly #scope: string;
  readonly #schema: string;

  constructor(home: Home, resource: ServedResource, scope: string) {
    this.#home = home;
    this.#resource = resource;
    this.#scope = scope;
    this.#schema = schemaNameOf(resource, typeOfKind(resource));
  }

  collection(): PathItem {
    const { verbs, kind } = this.#resource;
    const item: PathItem = {};
    if (verbs.includes("list")) item["get"] = this.#list(`list${this.#home.prefix}${this.#scope}${kind}`);
    if (verbs.includes("create"))
      item["post"] = this.#write("create", "post", { kind: this.#resource, schema: this.#schema, suffix: "" });
    if (verbs.includes("deletecollection")) {
      const id = `delete${this.#home.prefix}Collection${this.#scope}${kind}`;
      item["delete"] = this.#operation(id, "deletecollection", {
        parameters: collectionDeleteParameters.map(queryParameter),
        requestBody: { content: content(["*/*"], `${metaPackage}.DeleteOptions`) },
        responses: this.#responses([200], `${metaPackage}.Status`),
      });
    }
    return item;
  }

  allNamespaces(): PathItem {
    return { get: this.#list(`list${this.#home.prefix}${this.#resource.kind}ForAllNamespaces`) };
  }

  item(): PathItem {
    const { verbs } = this.#resource;
    return this.#verbs(
      verbs.filter((verb) => verb !== "create"),
      { kind: this.#resource, schema: this.#schema, suffix: "" },
    );
  }

  subresource({ name, kind, verbs }: ServedSubresource): PathItem {
    const schema = schemaNameOf(kind, typeOfKind(kind));
    return this.#verbs(verbs, { kind, schema, suffix: capital(name) });
  }

  #verbs(verbs: readonly string[], target: Target): PathItem {
    const item: PathItem = {};
    const id = (action: string): string =>
      `${action}${this.#home.prefix}${this.#scope}${this.#resource.kind}${target.suffix}`;
    // the options of a connection are query parameters, not a body
    const connects = target.kind.kind.endsWith("Options");
    const own = { kind: target.kind };
    if (verbs.includes("get")) {
      item["get"] = this.#operation(id(connects ? "connectGet" : "read"), connects ? "connect" : "get", {
        ...own,
        responses: this.#responses([200], connects ? undefined : target.schema),
      });
    }
    if (connects) {
      if (verbs.includes("create")) {
        item["post"] = this.#operation(id("connectPost"), "connect", { ...own, responses: this.#responses([200]) });
      }
      return item;
    }
    if (verbs.includes("update")) item["put"] = this.#write("replace", "put", target);
    if (verbs.includes("create")) item["post"] = this.#write("create", "post", target);
    if (verbs.includes("delete")) {
      item["delete"] = this.#operation(id("delete"), "delete", {
        parameters: deleteParameters.map(queryParameter),
        requestBody: { content: content(["*/*"], `${metaPackage}.DeleteOptions`) },
        responses: this.#responses([200, 202], `${metaPackage}.Status`),
      });
    }
    if (verbs.includes("patch")) item["patch"] = this.#patch(id("patch"), target);
    return item;
  }

  #list(id: string): JsonSchema {
    const list = { ...this.#resource, kind: this.#resource.listKind };
    const name = schemaNameOf(list, builtInTypeOf(apiVersionOf(list), list.kind));
    const types = this.#home.builtIn
      ? [...this.#answers(), "application/json;stream=watch", "application/vnd.kubernetes.protobuf;stream=watch"]
      : this.#answers();
    return this.#operation(id, "list", {
      parameters: listParameters.map(queryParameter),
      responses: { "200": { description: "OK", content: content(types.toSorted(), name) }, "401": unauthorized },
    });
  }

  #write(action: string, method: "post" | "put", target: Target): JsonSchema {
    const id = `${action}${this.#home.prefix}${this.#scope}${this.#resource.kind}${target.suffix}`;
    const types = this.#home.builtIn ? ["*/*"] : ["application/json", "application/yaml"];
    return this.#operation(id, method, {
      kind: target.kind,
      parameters: writeParameters.map(queryParameter),
      requestBody: { content: content(types, target.schema), required: true },
      responses: this.#responses(method === "post" ? [200, 201, 202] : [200, 201], target.schema),
    });
  }

  #patch(id: string, target: Target): JsonSchema {
    const types = ["application/apply-patch+yaml", "application/json-patch+json", "application/merge-patch+json"];
    if (this.#home.builtIn) types.push("application/strategic-merge-patch+json");
    return this.#operation(id, "patch", {
      kind: target.kind,
      parameters: [...writeParameters, "force"].map(queryParameter),
      requestBody: { content: content(types, `${metaPackage}.Patch`), required: true },
      responses: this.#responses(this.#home.builtIn ? [200, 201] : [200], target.schema),
    });
  }

  #answers(): readonly string[] {
    const types = ["application/json", "application/yaml"];
    return this.#home.builtIn ? ["application/json", "application/vnd.kubernetes.protobuf", "application/yaml"] : types;
  }

  #responses(codes: readonly number[], schema?: string): JsonSchema {
    const words: Readonly<Record<number, string>> = { 200: "OK", 201: "Created", 202: "Accepted" };
    const answer = (code: number): JsonSchema => ({
      description: words[code],
      content: schema === undefined ? { "*/*": { schema: { type: "string" } } } : content(this.#answers(), schema),
    });
    return { ...Object.fromEntries(codes.map((code) => [String(code), answer(code)])), "401": unauthorized };
  }

  #operation(
    operationId: string,
    action: string,
    { kind, ...rest }: { readonly kind?: GroupVersionKind } & JsonSchema,
  ): JsonSchema {
    const { group, version, kind: name } = kind ?? this.#resource;
    return {
      tags: [this.#home.tag],
      operationId,
      ...rest,
      "x-kubernetes-action": action,
      "x-kubernetes-group-version-kind": { group, version, kind: name },
    };
  }
}

interface Target {
  readonly kind: GroupVersionKind;
  readonly schema: string;
  /** The subresource's part of the operation's id. */
  readonly suffix: string;
}

const unauthorized = { description: "Unauthorized" };

function resourceListOperation(home: Home): JsonSchema {
  const types = ["application/json", "application/vnd.kubernetes.protobuf", "application/yaml"];
  return {
    tags: [home.tag],
    operationId: `get${home.prefix}APIResources`,
    responses: {
      "200": { description: "OK", content: content(types, `${metaPackage}.APIResourceList`) },
      "401": unauthorized,
    },
  };
}

function content(types: readonly string[], schema: string): JsonSchema {
  return Object.fromEntries(types.map((type) => [type, { schema: { $ref: `${v3.prefix}${schema}` } }]));
}

function queryParameter(name: string): JsonSchema {
  return { name, in: "query", schema: { type: parameterTypes[name] ?? "string", uniqueItems: true } };
}

function pathParameters(namespaced: boolean, named: boolean): readonly JsonSchema[] {
  const inPath = [...(named ? ["name"] : []), ...(namespaced ? ["namespace"] : [])];
  const parameters = inPath.map((name) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string", uniqueItems: true },
  }));
  return [...parameters, queryParameter("pretty")];
}

/** `core`, `apps`, `rbacAuthorization`, `exampleCom`. */
function camelGroup(group: string): string {
  const [first = "core", ...rest] = group === "" ? [] : group.replace(/\.k8s\.io$/, "").split(".");
  return [first, ...rest.map(capital)].join("");
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
