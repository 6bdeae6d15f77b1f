/** The strategy of daemon sets. */
import {
  type DaemonSet as AnyDaemonSet,
  type DaemonSetUpdateStrategy,
  fieldPath,
  semanticEqual,
} from "../../../../api/index.js";
import type { Strategy } from "../../../contracts/strategy.js";
import { templateDefaults } from "../pod/defaults/pod-defaults.js";
import {
  atMostAll,
  countOrPercent,
  picks,
  podTemplate,
  positiveOrPercent,
  runsForever,
  selectorMismatch,
} from "../pod/template.js";
import { changed, filled } from "../rules/fill.js";
import type { WithSpec } from "../rules/formed.js";
import {
  immutableFields,
  inTurn,
  isEmptySelector,
  type Issues,
  labelSelector,
  nonNegative,
  nonNegativeFields,
  type Path,
  shownLabels,
} from "../rules/issues.js";
import { collisions, counts } from "./status.js";

type DaemonSet = WithSpec<AnyDaemonSet>;

const spec = fieldPath("spec");
const status = fieldPath("status");

/** The server counts changes of the template; apps/v1 keeps the count in this annotation. */
const templateGeneration = "deprecated.daemonset.template.generation";

function daemonSetDefaults(set: DaemonSet): DaemonSet {
  const counted = set.metadata.annotations?.[templateGeneration] === undefined ? withTemplateGeneration(set, "0") : set;
  return changed(counted, "spec", (given) => {
    const limited = filled(given, { revisionHistoryLimit: 10 });
    const updating = { ...limited, updateStrategy: updateDefaults(limited.updateStrategy ?? {}) };
    return changed(updating, "template", templateDefaults);
  });
}

function updateDefaults(given: DaemonSetUpdateStrategy): DaemonSetUpdateStrategy {
  const typed = filled(given, { type: "RollingUpdate" });
  if (typed.type !== "RollingUpdate") return typed;
  return { ...typed, rollingUpdate: filled(typed.rollingUpdate ?? {}, { maxUnavailable: 1, maxSurge: 0 }) };
}

function* daemonSetRules({ spec: given }: DaemonSet): Issues {
  const { selector, template } = given;
  const here = spec.child("template");
  yield* labelSelector(spec.child("selector"), selector);
  if (!picks(selector, template.metadata?.labels)) {
    yield here.child("metadata", "labels").invalid(shownLabels(template.metadata?.labels), selectorMismatch);
  }
  if (selector !== undefined && isEmptySelector(selector)) {
    yield spec.child("selector").invalid(selector, "empty selector is invalid for daemonset");
  }
  yield* podTemplate(here, template);
  yield* runsForever(here, template, "DaemonSet");
  yield* nonNegativeFields(spec, given, ["minReadySeconds"]);
  yield* updateRules(spec.child("updateStrategy"), given.updateStrategy ?? {});
  yield* nonNegative(spec.child("revisionHistoryLimit"), given.revisionHistoryLimit);
}

function* updateRules(at: Path, { type, rollingUpdate }: DaemonSetUpdateStrategy): Issues {
  if (type === "OnDelete") return;
  if (type !== "RollingUpdate") {
    const { maxUnavailable = 0, maxSurge = 0 } = rollingUpdate ?? {};
    const rolling = rollingUpdate === undefined ? null : { MaxUnavailable: maxUnavailable, MaxSurge: maxSurge };
    yield at.notSupported({ Type: type, RollingUpdate: rolling }, ["RollingUpdate", "OnDelete"]);
    return;
  }
  const { maxUnavailable, maxSurge } = rollingUpdate ?? {};
  const here = at.child("rollingUpdate");
  yield* positiveOrPercent(here.child("maxUnavailable"), maxUnavailable);
  yield* positiveOrPercent(here.child("maxSurge"), maxSurge);
  yield* atMostAll(here.child("maxUnavailable"), maxUnavailable);
  yield* atMostAll(here.child("maxSurge"), maxSurge);
  const [unavailable, surge] = [countOrPercent(maxUnavailable) !== 0, countOrPercent(maxSurge) !== 0];
  if (unavailable && surge) {
    yield here.child("maxSurge").invalid(maxSurge, "may not be set when maxUnavailable is non-zero");
  } else if (!unavailable && !surge) {
    yield here.child("maxUnavailable").required("cannot be 0 when maxSurge is 0");
  }
}

function withTemplateGeneration(set: DaemonSet, generation: string): DaemonSet {
  const annotations = { ...set.metadata.annotations, [templateGeneration]: generation };
  return { ...set, metadata: { ...set.metadata, annotations } };
}

export const daemonSetStrategy: Strategy<DaemonSet> = {
  group: "apps",
  kind: "DaemonSet",
  lenient: { prefixOnUpdate: true },
  generation: "spec",
  setDefaults: daemonSetDefaults,
  prepareForCreate: (set) => withTemplateGeneration(set, "1"),
  prepareForUpdate(set, old) {
    const before = Number(old.metadata.annotations?.[templateGeneration] ?? 1);
    const same = semanticEqual(set.spec.template, old.spec.template);
    return withTemplateGeneration(set, String(same ? before : before + 1));
  },
  validateCreate: daemonSetRules,
  validateUpdate: (set, old) => inTurn(immutableFields(spec, set.spec, old.spec, "selector"), daemonSetRules(set)),
  status: {
    validateUpdate: (now, old) =>
      inTurn(
        counts(status, now.status, [
          "currentNumberScheduled",
          "numberMisscheduled",
          "desiredNumberScheduled",
          "numberReady",
          "observedGeneration",
          "updatedNumberScheduled",
          "numberAvailable",
          "numberUnavailable",
          "collisionCount",
        ]),
        collisions(status, now.status, old.status),
      ),
  },
};
