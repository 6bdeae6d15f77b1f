/** Rules for pod templates, and for the selectors of the kinds that use them. */
import {
  type IntOrString,
  intOrStringValue,
  isPercent,
  type LabelSelector,
  labelSelectorAsSelector,
  type PodTemplateSpec,
  type KubeObject,
  type ObjectMeta,
} from "../../../../api/index.js";
import {
  annotationMap,
  formed,
  isEmptySelector,
  isReadableSelector,
  type Issues,
  labelMap,
  labelSelector,
  nonNegative,
  optionalOneOf,
  type Path,
  required,
  shownLabels,
  shownSelector,
} from "../rules/issues.js";
import { podAnnotations } from "./annotations.js";
import { sameProfiles } from "./profiles.js";
import { podSpec } from "./validation/pod-spec.js";

export function* podTemplate(at: Path, template: PodTemplateSpec): Issues {
  const { metadata, spec } = template;
  yield* labelMap(at.child("labels"), metadata?.labels);
  yield* annotationMap(at.child("annotations"), metadata?.annotations);
  if (spec === undefined) return;
  yield* podAnnotations(at.child("annotations"), metadata?.annotations, spec);
  yield* podSpec(at.child("spec"), spec);
  if ((spec.ephemeralContainers ?? []).length > 0) {
    yield at.child("spec", "ephemeralContainers").forbidden("ephemeral containers not allowed in pod template");
  }
  yield* sameProfiles(at.child("spec"), metadata?.annotations, spec);
}

export const selectorMismatch = "`selector` does not match template `labels`";

/** Whether the selector matches a template's labels. A malformed selector is reported elsewhere. */
export function picks(selector: LabelSelector | undefined, labels: ObjectMeta["labels"]): boolean {
  try {
    return labelSelectorAsSelector(selector).matches(labels);
  } catch {
    return true;
  }
}

/** The object with the labels of its template, if it has none of its own. */
export function labelledAsTemplate<T extends KubeObject>(object: T, template: PodTemplateSpec | undefined): T {
  const labels = template?.metadata?.labels;
  if (labels === undefined || Object.keys(object.metadata.labels ?? {}).length > 0) return object;
  return { ...object, metadata: { ...object.metadata, labels } };
}

export interface Owner {
  readonly selector: LabelSelector | undefined;
  readonly template: PodTemplateSpec;
  /** The name of the kind in the message about an empty selector. */
  readonly kind: string;
  /** The message about a malformed selector. */
  readonly unreadable: string;
}

/** Requires a selector that is not empty, and a template that it matches. */
export function* selectedTemplate(at: Path, owner: Owner, template: (at: Path) => Issues): Issues {
  const { selector } = owner;
  yield* required(at.child("selector"), selector, labelSelector);
  if (selector !== undefined && isEmptySelector(selector)) {
    yield at.child("selector").invalid(shownSelector(selector), `empty selector is invalid for ${owner.kind}`);
  }
  if (!isReadableSelector(selector)) {
    yield at.child("selector").invalid(shownSelector(selector), owner.unreadable);
    return;
  }
  const here = at.child("template");
  const restricted = selector === undefined || !isEmptySelector(selector);
  if (restricted && !picks(selector, owner.template.metadata?.labels)) {
    yield here.child("metadata", "labels").invalid(shownLabels(owner.template.metadata?.labels), selectorMismatch);
  }
  yield* template(here);
}

/** Workload pods must restart always and have no deadline. */
export function* runsForever(at: Path, template: PodTemplateSpec, kind: string): Issues {
  yield* optionalOneOf(at.child("spec", "restartPolicy"), template.spec?.restartPolicy ?? "", ["Always"]);
  if (template.spec?.activeDeadlineSeconds !== undefined) {
    const why = `activeDeadlineSeconds in ${kind} is not Supported`;
    yield at.child("spec", "activeDeadlineSeconds").forbidden(why);
  }
}

export function* positiveOrPercent(at: Path, value: IntOrString | undefined): Issues {
  yield* typeof value === "string" ? formed(at, value, isPercent(value)) : nonNegative(at, value);
}

/** The number, or the number before the percent sign. */
export function countOrPercent(value: IntOrString | undefined): number {
  if (value === undefined) return 0;
  return typeof value === "string" && isPercent(value).length === 0
    ? Number(value.slice(0, -1))
    : intOrStringValue(value);
}

export function* atMostAll(at: Path, value: IntOrString | undefined): Issues {
  if (typeof value === "string" && isPercent(value).length === 0 && countOrPercent(value) > 100) {
    yield at.invalid(value, "must not be greater than 100%");
  }
}
