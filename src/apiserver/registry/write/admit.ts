/** Runs admission plug-ins over a write, in their order. Between the pipelines and admission/. */
import type { KubeObject } from "../../../api/index.js";
import type { AdmissionRequest } from "../../admission/admission.js";
import { type Endpoint, kindOf, subresourceOf } from "../endpoint.js";
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

function requestOf(
  { endpoint, namespace, name, subresource, scope, options }: AdmitTarget,
  attributes: Attributes,
): AdmissionRequest {
  const { served } = endpoint;
  const kind = subresource === "" ? kindOf(served) : (subresourceOf(endpoint, subresource)?.kind ?? kindOf(served));
  return {
    ...attributes,
    resource: { group: served.group, version: served.version, resource: served.plural },
    subresource,
    kind,
    namespace,
    name,
    options,
    user: scope.user,
    dryRun: scope.dryRun,
    warn: scope.warn,
  };
}

export async function mutate(
  target: AdmitTarget,
  attributes: Attributes & { readonly object: KubeObject },
): Promise<KubeObject> {
  let { object } = attributes;
  for (const plugin of target.scope.machinery.admission) {
    if (plugin.mutate === undefined) continue;
    const result = plugin.mutate({ ...requestOf(target, attributes), object });
    object = result instanceof Promise ? await result : result;
  }
  return object;
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
