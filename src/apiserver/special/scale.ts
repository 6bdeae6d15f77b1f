/** `scale`: the replicas of a workload as an object of their own, whatever kind stands behind it. */
import {
  fieldInvalid,
  type KubeObject,
  type LabelSelector,
  labelSelectorAsSelector,
  newInvalid,
} from "../../api/index.js";
import type { HttpResponse } from "../../base/index.js";
import { applyValidation, parseWriteOptions, placed } from "../http/body.js";
import { valueAnswer } from "../http/answer.js";
import { bodyOf, codecOf, contentTypeOf, type Exchange, outputOf, readScope, writeScope } from "../http/exchange.js";
import type { Operation, Verb } from "../http/verbs.js";
import type { Endpoint, ScalePaths } from "../registry/endpoint.js";
import { getObject } from "../registry/read/list.js";
import { normalize } from "../registry/built-in.js";
import { applyPatch, patchTypeFor, requireManager } from "../registry/write/patch.js";
import { readApplied, readPatch } from "../registry/write/patch-body.js";
import { timestamp } from "../registry/scope.js";
import { updateObject } from "../registry/write/update.js";

interface Scale extends KubeObject {
  readonly spec?: { readonly replicas?: number };
  readonly status?: { readonly replicas?: number; readonly selector?: string };
}

const kind = { group: "autoscaling", version: "v1", kind: "Scale" } as const;

const builtInPaths: ScalePaths = {
  spec: ["spec", "replicas"],
  status: ["status", "replicas"],
  selector: ["spec", "selector"],
};

function valueAt(object: unknown, path: readonly string[]): unknown {
  let value: unknown = object;
  for (const name of path)
    value = typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
  return value;
}

function withValue<T>(object: T, [name, ...rest]: readonly string[], value: unknown): T {
  if (name === undefined) return value as T;
  return { ...object, [name]: withValue((object as Record<string, unknown>)[name] ?? {}, rest, value) };
}

function selectorText(value: unknown): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "string") return value;
  const isSelector = Object.values(value).some((part) => typeof part === "object");
  if (isSelector) return String(labelSelectorAsSelector(value as LabelSelector));
  return String(labelSelectorAsSelector({ matchLabels: value as Record<string, string> }));
}

export function scaleOf({ scale = builtInPaths }: Endpoint, object: KubeObject): Scale {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const replicas = (valueAt(object, scale.spec) as number | undefined) ?? 0;
  const selector = scale.selector === undefined ? "" : selectorText(valueAt(object, scale.selector));
  return {
    kind: "Scale",
    apiVersion: "autoscaling/v1",
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
      ...(creationTimestamp === undefined ? {} : { creationTimestamp }),
    },
    spec: replicas === 0 ? {} : { replicas },
    status: {
      replicas: (valueAt(object, scale.status) as number | undefined) ?? 0,
      ...(selector === "" ? {} : { selector }),
    },
  };
}

export const scaleVerb: Verb = async (operation) => {
  const { exchange, endpoint, info } = operation;
  const { namespace, name } = info;
  if (info.verb === "get") {
    const { object } = await getObject(endpoint, { namespace, name, resourceVersion: "" }, readScope(exchange));
    return answer(exchange, scaleOf(endpoint, object));
  }
  return info.verb === "update" ? replaceScale(operation) : patchScale(operation);
};

function replaceScale({ exchange, endpoint, info }: Operation): Promise<HttpResponse> {
  const options = parseWriteOptions(exchange.query, "UpdateOptions");
  const builtIn = {
    ...endpoint,
    custom: false,
    decode: (codec: Parameters<Endpoint["decode"]>[0], bytes: Uint8Array) => codec.decode(bytes, kind),
  };
  const sent = placed(
    bodyOf(exchange, builtIn, { expected: kind, validation: options.fieldValidation }),
    info,
  ) as Scale;
  return write({ exchange, endpoint, info }, () => sent);
}

function patchScale({ exchange, endpoint, info }: Operation): Promise<HttpResponse> {
  const options = parseWriteOptions(exchange.query, "PatchOptions");
  const type = patchTypeFor(false, contentTypeOf(exchange));
  const bytes = exchange.request.body ?? new Uint8Array();
  if (type === "application/apply-patch+yaml") return applyScale({ exchange, endpoint, info }, bytes);
  const { value: patch } = readPatch(bytes, type, options.fieldValidation);
  return write({ exchange, endpoint, info }, (live) => {
    const decoded = normalize(applyPatch({ type, kind }, scaleOf(endpoint, live), patch));
    applyValidation(decoded, { expected: kind, validation: options.fieldValidation, warn: readScope(exchange).warn });
    const { resourceVersion, ...metadata } = decoded.object.metadata;
    const named = resourceVersion !== live.metadata.resourceVersion;
    return (named ? decoded.object : { ...decoded.object, metadata }) as Scale;
  });
}

/** The manager comes to own the replicas, wherever the kind keeps them. */
async function applyScale({ exchange, endpoint, info }: Operation, bytes: Uint8Array): Promise<HttpResponse> {
  const { namespace, name } = info;
  const options = parseWriteOptions(exchange.query, "PatchOptions");
  requireManager(options.fieldManager);
  const { object } = readApplied(bytes, options.fieldValidation);
  const { spec } = object as Scale;
  const scope = writeScope(exchange, options);
  const { view } = await updateObject({
    endpoint,
    namespace,
    name,
    subresource: "scale",
    scope,
    missing: "refuse",
    unconditional: true,
    managed: true,
    change: (live) => {
      const { apiVersion, kind: parent } = live as KubeObject;
      const partial = { apiVersion, kind: parent, metadata: { name } };
      const replicas = spec?.replicas;
      const applied =
        replicas === undefined ? partial : withValue(partial, (endpoint.scale ?? builtInPaths).spec, replicas);
      const time = timestamp(scope.machinery.clock.now());
      const { fieldManager: manager, force = false } = options;
      return endpoint.fieldManager.apply(live, applied, { manager, apiVersion, subresource: "scale", time, force });
    },
  });
  return answer(exchange, scaleOf(endpoint, view.object));
}

async function write(
  { exchange, endpoint, info }: Operation,
  change: (live: KubeObject) => Scale,
): Promise<HttpResponse> {
  const options = parseWriteOptions(exchange.query, "UpdateOptions");
  const { namespace, name } = info;
  const { view } = await updateObject({
    endpoint,
    namespace,
    name,
    subresource: "scale",
    scope: writeScope(exchange, options),
    missing: "refuse",
    unconditional: true,
    change: (live) => {
      const { metadata, spec } = change(live as KubeObject);
      const replicas = spec?.replicas ?? 0;
      if (replicas < 0) {
        const why = "must be greater than or equal to 0";
        throw newInvalid(kind, name, [fieldInvalid("spec.replicas", replicas, why)]);
      }
      const { resourceVersion: _, ...rest } = (live as KubeObject).metadata;
      const { uid, resourceVersion } = metadata;
      const conditions = { ...(uid ? { uid } : {}), ...(resourceVersion ? { resourceVersion } : {}) };
      const scaled = withValue(live as KubeObject, (endpoint.scale ?? builtInPaths).spec, replicas);
      return { ...scaled, metadata: { ...rest, ...conditions } };
    },
  });
  return answer(exchange, scaleOf(endpoint, view.object));
}

function answer(exchange: Exchange, scale: Scale): HttpResponse {
  const output = outputOf(exchange, { custom: false, transforms: false });
  return valueAnswer(200, scale, output, codecOf(exchange, output.mediaType));
}
