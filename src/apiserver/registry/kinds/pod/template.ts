/** Rules for pod templates, and for the selectors of the kinds that use them. */
import {
  type IntOrString,
  intOrStringValue,
  isPercent,
  type LabelSelector,
  labelSelectorAsSelector,
  type PodTemplateSpec,
} from "../../../../api/index.js";
import {
  annotationMap,
  isEmptySelector,
  isReadableSelector,
  type Issues,
  labelMap,
  labelSelector,
  nonNegative,
  type Path,
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

/** Whether the selector matches the template's labels. A malformed selector is reported elsewhere. */
export function picksTemplate(selector: LabelSelector | undefined, template: PodTemplateSpec | undefined): boolean {
  try {
    return labelSelectorAsSelector(selector).matches(template?.metadata?.labels);
  } catch {
    return true;
  }
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
  if (selector === undefined) yield at.child("selector").required();
  else {
    yield* labelSelector(at.child("selector"), selector);
    if (isEmptySelector(selector)) {
      yield at.child("selector").invalid(shownSelector(selector), `empty selector is invalid for ${owner.kind}`);
    }
  }
  if (!isReadableSelector(selector)) {
    yield at.child("selector").invalid(shownSelector(selector), owner.unreadable);
    return;
  }
  const here = at.child("template");
  const restricted = selector === undefined || !isEmptySelector(selector);
  if (restricted && !picksTemplate(selector, owner.template)) {
    yield here.child("metadata", "labels").invalid(shownLabels(owner.template.metadata?.labels), selectorMismatch);
  }
  yield* template(here);
}

/** Workload pods must restart always and have no deadline. */
export function* runsForever(at: Path, template: PodTemplateSpec, kind: string): Issues {
  const policy: string = template.spec?.restartPolicy ?? "";
  if (policy !== "Always") yield at.child("spec", "restartPolicy").notSupported(policy, ["Always"]);
  if (template.spec?.activeDeadlineSeconds !== undefined) {
    const why = `activeDeadlineSeconds in ${kind} is not Supported`;
    yield at.child("spec", "activeDeadlineSeconds").forbidden(why);
  }
}

export function* positiveOrPercent(at: Path, value: IntOrString | undefined): Issues {
  if (typeof value === "string") {
    for (const complaint of isPercent(value)) yield at.invalid(value, complaint);
  } else yield* nonNegative(at, value);
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
