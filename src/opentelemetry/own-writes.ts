/** Remembers which span wrote which revision of an object, so that a change leads to its cause. */
import type { SpanContext } from "@opentelemetry/api";
import { Recent } from "../base/index.js";
import type { Reason } from "../workqueue/index.js";

/** The number of writes that are remembered until their effects are reconciled. */
const rememberedWrites = 10_000;

/**
 * Invariant: `#underWay` has the span of the last write to an object that has begun, from its beginning to its end. A
 * write whose answer is late is found there: a watch may tell of a change before the answer does.
 */
export class OwnWrites {
  readonly #answered = new Recent<string, SpanContext>({ weight: rememberedWrites });
  readonly #underWay = new Map<string, SpanContext>();

  begin({ kind, key }: Pick<Reason, "kind" | "key">, span: SpanContext): void {
    this.#underWay.set(`${kind} ${key}`, span);
  }

  end({ kind, key }: Pick<Reason, "kind" | "key">, span: SpanContext): void {
    const id = `${kind} ${key}`;
    if (this.#underWay.get(id)?.spanId === span.spanId) this.#underWay.delete(id);
  }

  answer(written: Pick<Reason, "kind" | "key" | "revision">, span: SpanContext): void {
    this.#answered.set(revisionId(written), span);
  }

  /** The span that wrote the revision of this reason. */
  answered(reason: Reason): SpanContext | undefined {
    return this.#answered.get(revisionId(reason));
  }

  /** The span that is writing the object of this reason now: most likely the cause, if no revision tells it. */
  underWay({ kind, key }: Reason): SpanContext | undefined {
    return this.#underWay.get(`${kind} ${key}`);
  }
}

function revisionId({ kind, key, revision }: Pick<Reason, "kind" | "key" | "revision">): string {
  return `${kind} ${key}@${revision}`;
}
