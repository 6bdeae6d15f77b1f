/** Answers ConversionReviews by the functions of kinds that are defined in several versions. */
import { type ConvertibleType, convertObject, type KubeObject } from "../api/index.js";
import { messageOf, shown } from "../base/index.js";
import { isRecord } from "../base/members.js";

export interface ConversionRequest {
  readonly uid: string;
  readonly desiredAPIVersion: string;
  readonly objects: readonly KubeObject[];
}

interface ConversionResponse {
  readonly uid: string;
  readonly convertedObjects: readonly KubeObject[];
  readonly result: { readonly status: "Success" | "Failure"; readonly message?: string };
}

/** Never throws: a function that does makes the whole review a failure, which names the object. */
export function convertAll(kinds: readonly ConvertibleType[], request: ConversionRequest): ConversionResponse {
  const { uid, desiredAPIVersion: desired, objects } = request;
  const failed = (message: string): ConversionResponse => ({
    uid,
    convertedObjects: [],
    result: { status: "Failure", message },
  });
  if (!Array.isArray(objects)) return failed(`the review has no list of objects, but ${shown(objects)}`);
  const convertedObjects: KubeObject[] = [];
  for (const object of objects as readonly KubeObject[]) {
    if (!isRecord(object) || !isRecord(object.metadata))
      return failed(`the review has no object, but ${shown(object)}`);
    const kind = kinds.find((one) => one.kind === object.kind && object.apiVersion.startsWith(`${one.group}/`));
    if (kind === undefined) return failed(`this program does not convert ${object.kind} of ${object.apiVersion}`);
    try {
      convertedObjects.push(convertObject(kind, object, desired));
    } catch (error) {
      const { name, namespace } = object.metadata;
      const where = namespace === undefined ? name : `${namespace}/${name}`;
      return failed(`${object.kind} ${where} from ${object.apiVersion} to ${desired}: ${messageOf(error)}`);
    }
  }
  return { uid, convertedObjects, result: { status: "Success" } };
}
