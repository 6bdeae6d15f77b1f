/** The common form of plug-ins that change new objects of one resource. */
import type { KubeObject } from "../../api/index.js";
import type { AdmissionPlugin } from "../contracts/admission.js";

/** A plug-in that changes objects of one resource when they are created. */
export function onCreate(
  name: string,
  resource: { readonly group: string; readonly plural: string },
  change: (object: KubeObject) => KubeObject,
): AdmissionPlugin {
  return {
    name,
    mutate: ({ operation, resource: of, subresource, object }) =>
      operation === "CREATE" && of.group === resource.group && of.resource === resource.plural && subresource === ""
        ? change(object)
        : object,
  };
}
