/** Runs admission plug-ins over a write, in their order. */
import { defined } from "../../../base/defined.js";
import type { KubeObject } from "../../../api/index.js";
import type { AdmissionPlugin, AdmissionRequest } from "../../contracts/admission.js";
import { HookRounds } from "./rounds.js";
import { type Endpoint, subresourceOf } from "../../contracts/endpoint.js";
import type { RequestScope } from "../../contracts/scope.js";

export interface AdmitTarget {
  readonly endpoint: Endpoint;
  readonly namespace: string;
  readonly name: string;
  readonly subresource: string;
  readonly scope: RequestScope;
  readonly options?: KubeObject;
}

type Attributes = Pick<AdmissionRequest, "operation" | "object" | "old">;

function requestOf(target: AdmitTarget, { operation, object, old }: Attributes): AdmissionRequest {
  const { endpoint, namespace, name, subresource, scope, options } = target;
  const { served } = endpoint;
  const kind = subresource === "" ? served : (subresourceOf(endpoint, subresource)?.kind ?? served);
  return {
    operation,
    resource: { group: served.group, version: served.version, resource: served.plural },
    subresource,
    kind: { group: kind.group, version: kind.version, kind: kind.kind },
    namespace,
    name,
    ...defined({ object, old }),
    options: options ?? (scope.dryRun ? ({ dryRun: ["All"] } as unknown as KubeObject) : undefined),
    user: scope.user,
    dryRun: scope.dryRun,
    slice: scope.slice,
    rounds: new HookRounds(),
    warn: scope.warn,
    annotate: scope.annotate,
  };
}

type WithObject = AdmissionRequest & { readonly object: KubeObject };

/** Gives a promise only if a plug-in waits, which most writes do not need. */
export function mutate(
  target: AdmitTarget,
  attributes: Attributes & { readonly object: KubeObject },
): KubeObject | Promise<KubeObject> {
  const { admission } = target.scope.machinery;
  return admission.length === 0
    ? attributes.object
    : mutateFrom(0, requestOf(target, attributes) as WithObject, admission);
}

function mutateFrom(
  start: number,
  given: WithObject,
  plugins: readonly AdmissionPlugin[],
): KubeObject | Promise<KubeObject> {
  let request = given;
  let first = start;
  do {
    for (let i = first; i < plugins.length; i++) {
      const result = plugins[i]?.mutate?.(request);
      if (result instanceof Promise) {
        return result.then((object) => mutateFrom(i + 1, withObject(request, object), plugins));
      }
      if (result !== undefined) request = withObject(request, result);
    }
    first = 0;
  } while (request.rounds.next());
  return request.object;
}

const withObject = (request: WithObject, object: KubeObject): WithObject =>
  object === request.object ? request : { ...request, object };

/** Gives a promise only if a plug-in waits. */
export function validate(target: AdmitTarget, attributes: Attributes): void | Promise<void> {
  const { admission } = target.scope.machinery;
  return admission.length === 0 ? undefined : validateFrom(0, requestOf(target, attributes), admission);
}

function validateFrom(
  start: number,
  request: AdmissionRequest,
  plugins: readonly AdmissionPlugin[],
): void | Promise<void> {
  for (let i = start; i < plugins.length; i++) {
    const result = plugins[i]?.validate?.(request);
    if (result instanceof Promise) return result.then(() => validateFrom(i + 1, request, plugins));
  }
}
