/** The conversion webhook of the comparison: v1alpha1 has `spec.size`, v1 has `spec.replicas`; names ask for mistakes. */
import { without } from "../../../src/base/members.js";
import type { Json } from "../../ask.js";
import { type Hook, type RawAnswer, startHook } from "../../webhook/hook.js";

export const group = "conversion.example.com";

const inVersion = (object: Json, desired: string): Json => {
  const { spec = {}, ...rest } = object;
  const { size, replicas, ...others } = spec;
  const amount = size ?? replicas;
  const isNew = desired.endsWith("/v1");
  const said = amount === undefined ? {} : isNew ? { replicas: amount } : { size: String(amount) };
  if (isNew && typeof said.replicas === "string") said.replicas = Number(said.replicas);
  return { ...rest, apiVersion: desired, spec: { ...others, ...said } };
};

type Mistake = (converted: Json, original: Json) => Json;

/** By the beginning of the object's name, when it is converted to v1alpha1. */
const mistakes: Readonly<Record<string, Mistake>> = {
  renamed: (object) => ({ ...object, metadata: { ...object.metadata, name: "other" } }),
  moved: (object) => ({ ...object, metadata: { ...object.metadata, namespace: "other" } }),
  reborn: (object) => ({ ...object, metadata: { ...object.metadata, uid: "other" } }),
  bare: (object) => without(object, "metadata"),
  wrongkind: (object) => ({ ...object, kind: "Gadget" }),
  nokind: (object) => without(object, "kind"),
  unconverted: (_, original) => original,
  badlabels: (object) => ({ ...object, metadata: { ...object.metadata, labels: { "a b": "c" } } }),
  numberlabel: (object) => ({ ...object, metadata: { ...object.metadata, labels: { a: 1 } } }),
  listlabels: (object) => ({ ...object, metadata: { ...object.metadata, labels: ["a"] } }),
  labelled: (object) => ({ ...object, metadata: { ...object.metadata, labels: { by: "webhook" } } }),
  finalized: (object) => ({ ...object, metadata: { ...object.metadata, finalizers: ["example.com/hook"] } }),
  unknown: (object) => ({ ...object, spec: { ...object.spec, surplus: true } }),
};

/** Whole answers, by the beginning of the first object's name. */
const answers: Readonly<Record<string, (request: Json, review: Json) => RawAnswer | object>> = {
  silent: () => ({}),
  failed: () => ({ result: { status: "Failure", message: "no such size" } }),
  wordless: () => ({ result: { status: "Failure" } }),
  none: () => ({ result: { status: "Success" }, convertedObjects: [] }),
  foreign: () => ({ uid: "other", result: { status: "Success" } }),
  empty: (_, { kind, apiVersion }) => ({ review: { kind, apiVersion } }),
  otherversion: (request, { kind }) => ({
    review: { kind, apiVersion: "apiextensions.k8s.io/v1beta1", response: { uid: request.uid } },
  }),
  broken: () => ({ raw: "{", status: 200 }),
  crashed: () => ({ raw: "sorry", status: 500 }),
  missing: () => ({ raw: "nothing here", status: 404 }),
};

const beginning = (object: Json): string => String(object.metadata?.name ?? "").split("-")[0] as string;

export const startConversionHook = (): Promise<Hook> =>
  startHook((request, review) => {
    const { objects, desiredAPIVersion: desired } = request;
    const backwards = desired.endsWith("alpha1");
    const whole = backwards ? answers[beginning(objects[0])] : undefined;
    if (whole !== undefined) return whole(request, review);
    const convertedObjects = objects.map((object: Json) => {
      const converted = inVersion(object, desired);
      const mistake = backwards ? mistakes[beginning(object)] : undefined;
      return mistake === undefined ? converted : mistake(converted, object);
    });
    return { result: { status: "Success" }, convertedObjects };
  });

export const wrongAnswers: readonly string[] = [...Object.keys(mistakes), ...Object.keys(answers)];

/** Both versions are served; `storage` is the stored one. */
export function definitionOf(hook: Pick<Hook, "url" | "caBundle">, storage: string, more: object = {}): Json {
  const schema = (spec: object): object => ({
    openAPIV3Schema: { type: "object", properties: { spec: { type: "object", properties: spec } } },
  });
  const version = (name: string, spec: object): object => ({
    name,
    served: true,
    storage: name === storage,
    schema: schema({ colour: { type: "string" }, ...spec }),
    // the real server refuses definitions whose versions all have the same selectable fields
    selectableFields: [{ jsonPath: ".spec.colour" }, ...(name === "v1" ? [{ jsonPath: ".spec.shade" }] : [])],
  });
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `widgets.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { plural: "widgets", singular: "widget", kind: "Widget", listKind: "WidgetList" },
      versions: [
        version("v1", { replicas: { type: "integer", minimum: 0 }, shade: { type: "string", default: "none" } }),
        version("v1alpha1", { size: { type: "string" }, shade: { type: "string" } }),
      ],
      conversion: {
        strategy: "Webhook",
        webhook: {
          conversionReviewVersions: ["v1", "v1beta1"],
          clientConfig: { url: hook.url, caBundle: hook.caBundle },
        },
      },
      ...more,
    },
  };
}
