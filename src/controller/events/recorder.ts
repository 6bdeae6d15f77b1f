/** Lets reconcilers tell a user what happened to an object; never waits, never fails. */
import type { KubeObject, ObjectReference } from "../../api/index.js";
import { defined } from "../../base/defined.js";
import { type Clock, type Logger, messageOf, shown, silentLogger, systemClock } from "../../base/index.js";
import { type EventReporter, type EventType, type Occurrence, referenceTo } from "./occurrence.js";

export interface EventDetails {
  /** The action taken or tried; the reason by default. Only events.k8s.io shows it. */
  readonly action?: string;
  /** Another object that is involved. */
  readonly related?: KubeObject | ObjectReference;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** A method returns at once. An event that cannot be made or queued is logged and counted, and the caller does not notice. */
export interface EventRecorder {
  normal(object: KubeObject | ObjectReference, reason: string, message: string, details?: EventDetails): void;
  warning(object: KubeObject | ObjectReference, reason: string, message: string, details?: EventDetails): void;
}

export interface EventRecorderOptions {
  readonly reporter: EventReporter;
  readonly accept: (occurrence: Occurrence) => void;
  readonly nameOf: (objectName: string, atMs: number) => string;
  readonly clock?: Clock;
  readonly log?: Logger;
}

export function eventRecorder(options: EventRecorderOptions): EventRecorder {
  const { reporter, accept, nameOf, clock = systemClock, log = silentLogger } = options;
  const record = (
    type: EventType,
    object: KubeObject | ObjectReference,
    what: EventDetails & { readonly reason: string; readonly message: string },
  ): void => {
    const { reason, action = reason, annotations } = what;
    // an error in the place of its message is what many mean
    const message = typeof what.message === "string" ? what.message : messageOf(what.message);
    const regarding = referenceTo(object);
    if (regarding === undefined || !reason) {
      const missing = regarding === undefined ? "the object has no apiVersion and kind to refer to it by" : "no reason";
      log.error(`no event: ${missing}`, { object: shown(object), reason, message });
      return;
    }
    const related = what.related === undefined ? undefined : referenceTo(what.related);
    const at = clock.now();
    accept({
      type,
      reason,
      message,
      action,
      regarding,
      ...defined({ related, annotations }),
      reporter,
      at,
      name: nameOf(regarding.name ?? "", at),
    });
  };
  return {
    normal: (object, reason, message, details) => record("Normal", object, { reason, message, ...details }),
    warning: (object, reason, message, details) => record("Warning", object, { reason, message, ...details }),
  };
}

/** A recorder for tests: `Type Reason message` lines in an array. */
export function fakeEventRecorder(): EventRecorder & { readonly lines: readonly string[] } {
  const lines: string[] = [];
  return {
    lines,
    normal: (_object, reason, message) => void lines.push(`Normal ${reason} ${message}`),
    warning: (_object, reason, message) => void lines.push(`Warning ${reason} ${message}`),
  };
}
