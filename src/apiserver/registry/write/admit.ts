/** Runs admission plug-ins over a write, in their order. Between the pipelines and admission/. */
import type { KubeObject } from "../../../api/index.js";
import type { AdmissionRequest } from "../../admission/admission.js";
import { Rounds } from "../../admission/dynamic/rounds.js";
import { type Endpoint, subresourceOf } from "../endpoint.js";
import type { RequestScope } from "../scope.js";

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
    ...(object === undefined ? {} : { object }),
    ...(old === undefined ? {} : { old }),
    options,
    user: scope.user,
    dryRun: scope.dryRun,
    rounds: new Rounds(),
    warn: scope.warn,
  };
}

export async function mutate(
  target: AdmitTarget,
  attributes: Attributes & { readonly object: KubeObject },
): Promise<KubeObject> {
  const { admission } = target.scope.machinery;
  if (admission.length === 0) return attributes.object;
  let request = requestOf(target, attributes) as AdmissionRequest & { readonly object: KubeObject };
  do {
    for (const plugin of admission) {
      if (plugin.mutate === undefined) continue;
      const result = plugin.mutate(request);
      const object = result instanceof Promise ? await result : result;
      if (object !== request.object) request = { ...request, object };
    }
  } while (request.rounds.next());
  return request.object;
}

export async function validate(target: AdmitTarget, attributes: Attributes): Promise<void> {
  let request: AdmissionRequest | undefined;
  for (const plugin of target.scope.machinery.admission) {
    if (plugin.validate === undefined) continue;
    request ??= requestOf(target, attributes);
    const result = plugin.validate(request);
    if (result instanceof Promise) await result;
  }
}
