/** An informer on a model server, and a handler that records its calls. */
import { ModelServer, type Thing } from "./model-server.js";
import { createLogger, FakeClock } from "../../src/base/index.js";
import {
  type Deleted,
  DeletedFinalStateUnknown,
  type InformerOptions,
  SharedIndexInformer,
} from "../../src/informer/index.js";
import type { ResourceEventHandler } from "../../src/informer/processor/handlers.js";

export function recorder(): { readonly seen: string[]; readonly handler: ResourceEventHandler<Thing> } {
  const seen: string[] = [];
  const gone = (thing: Deleted<Thing>): string =>
    thing instanceof DeletedFinalStateUnknown
      ? `tombstone ${thing.key} ${thing.object?.spec?.value}`
      : thing.metadata.name;
  return {
    seen,
    handler: {
      onAdd: (thing, initial) => void seen.push(`add ${thing.metadata.name}${initial ? " initially" : ""}`),
      onUpdate: (old, thing) => void seen.push(`update ${thing.metadata.name} ${old.spec?.value}→${thing.spec?.value}`),
      onDelete: (thing) => void seen.push(`delete ${gone(thing)}`),
    },
  };
}

interface Rig {
  readonly clock: FakeClock;
  readonly server: ModelServer;
  readonly informer: SharedIndexInformer<Thing>;
  readonly log: string[];
}

export function rig(options: Partial<InformerOptions<Thing>> = {}, server = new ModelServer()): Rig {
  const clock = new FakeClock();
  const log: string[] = [];
  const logger = createLogger({ write: (line) => log.push(line), clock, level: "debug" });
  return {
    clock,
    server,
    log,
    informer: new SharedIndexInformer<Thing>({ source: server, clock, logger, ...options }),
  };
}
