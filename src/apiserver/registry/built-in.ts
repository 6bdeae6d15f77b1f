/** Makes the endpoints of the built-in kinds: joins their discovery entries with their strategies. */
import { exactJson } from "../../api/values/exact-json.js";
import { defined } from "../../base/defined.js";
import { inOneGo, type Steps } from "../../base/index.js";
import { lookup } from "../../base/members.js";
import { apiVersionOf, type KubeObject } from "../../api/index.js";
import { type BuiltInResource, typedFormWhole, builtInTypeOf } from "../../api/schema/index.js";
import { decodeJson, withReset } from "../codec/index.js";
import { builtInGroups } from "../discovery/index.js";
import type { Decoded } from "../contracts/codec.js";
import type { ServedGroup, ServedResource } from "../contracts/served.js";
import type { TableRenderer } from "../contracts/table.js";
import type { Stored } from "../storage/contract.js";
import type { Conversion, Endpoint } from "../contracts/endpoint.js";
import type { FieldManager } from "../contracts/field-manager.js";
import type { Strategy } from "../contracts/strategy.js";
import { viewsOf } from "./views.js";

export interface BuiltInOptions {
  readonly strategies: readonly Strategy[];
  readonly fieldManager: FieldManager;
  table(kind: ServedResource): TableRenderer;
  /** The key is `apiVersion Kind`, for versions other than the stored one. */
  readonly conversions: ReadonlyMap<string, Conversion>;
}

export function builtInEndpoints(options: BuiltInOptions): {
  readonly groups: readonly ServedGroup[];
  readonly endpoints: readonly Endpoint[];
} {
  const strategies = new Map(options.strategies.map((one) => [`${one.group}/${one.kind}`, one]));
  const groups = builtInGroups();
  const endpoints = groups.flatMap(({ versions }) =>
    versions.flatMap(({ resources }) =>
      resources.map((served) => {
        const home = storageOf(served as BuiltInResource);
        const strategy = strategies.get(`${home.group}/${served.kind}`) ?? { group: served.group, kind: served.kind };
        return builtInEndpoint(served, { ...options, strategy, home });
      }),
    ),
  );
  return { groups, endpoints };
}

/** The place of a kind in the store: a kind that two groups serve (events) is stored in the older one. */
function storageOf({ storageVersion, plural }: BuiltInResource): {
  readonly group: string;
  readonly collection: string;
} {
  const group = storageVersion.includes("/") ? (storageVersion.split("/")[0] as string) : "";
  return { group, collection: group === "" ? plural : `${group}/${plural}` };
}

const deprecated: Readonly<Record<string, string>> = lookup({
  "v1 ComponentStatus": "v1 ComponentStatus is deprecated in v1.19+",
  "v1 Endpoints": "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice",
});

function builtInEndpoint(
  served: ServedResource,
  options: BuiltInOptions & { readonly strategy: Strategy; readonly home: { readonly collection: string } },
): Endpoint {
  const { strategy, home, fieldManager } = options;
  const apiVersion = apiVersionOf(served);
  const conversion = options.conversions.get(`${apiVersion} ${served.kind}`);
  const { toStorage = same, fromStorage = same } = conversion ?? {};
  let table: TableRenderer | undefined;
  let empty: { readonly status?: unknown } | undefined;
  return {
    served,
    collection: home.collection,
    strategy,
    fieldManager,
    custom: false,
    ...defined({ deprecation: deprecated[`${apiVersion} ${served.kind}`] }),
    get table() {
      table ??= options.table(served);
      return table;
    },
    get emptyStatus() {
      empty ??= toStorage(
        inOneGo(normalize({ kind: served.kind, apiVersion, metadata: { name: "" } })).object,
      ) as object;
      return empty.status;
    },
    decode: (codec, bytes, expected) => codec.decode(bytes, expected),
    normalize,
    view: conversion === undefined ? (stored: Stored) => stored : viewsOf(fromStorage),
    toStorage,
    fromStorage,
  };
}

type Json = Readonly<Record<string, unknown>>;

const same = (object: KubeObject): KubeObject => object;

/** An object whose problems are looked for when somebody asks for them. */
class DecodedLoosely implements Decoded {
  readonly object: KubeObject;
  readonly #find: () => readonly string[];

  constructor(object: KubeObject, find: () => readonly string[]) {
    this.object = object;
    this.#find = find;
  }

  get problems(): readonly string[] {
    return this.#find();
  }
}

/** Decodes the value as if it had been sent as JSON. The problems of strict validation are computed only when read. */
export function* normalize(value: KubeObject, live?: KubeObject): Steps<Decoded> {
  const type = builtInTypeOf(value.apiVersion, value.kind);
  const decode = (): Steps<Decoded> => decodeJson(exactJson(value), undefined);
  if (type === undefined) return yield* decode();
  try {
    const { form, whole } = typedFormWhole(type, value as unknown as Json, live as unknown as Json | undefined);
    const object = withReset(value as unknown as Json, form) as unknown as KubeObject;
    // a parsed value cannot have a field twice
    return whole ? { object, problems: [] } : new DecodedLoosely(object, () => inOneGo(decode()).problems);
  } catch {
    return yield* decode();
  }
}
