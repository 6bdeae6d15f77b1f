/** The parts of a process that the page shows. All of it is state that the layers publish for anybody. */
import type { KubeObject } from "../api/index.js";
import type { Clock, MetricsRegistry } from "../base/index.js";
import type { Client } from "../client/index.js";
import type { ControllerFigures, Journal, KeyPage, KeyQuery } from "../controller/index.js";
import type { FactoryInformer } from "../informer/index.js";

export interface ShownInformer {
  /** "" for the process's own cluster. */
  readonly cluster: string;
  readonly informer: FactoryInformer<KubeObject>;
}

export interface ShownLoop {
  readonly name: string;
  figures(): ControllerFigures;
  keys(query: KeyQuery, signal?: AbortSignal): Promise<KeyPage>;
}

export interface Leadership {
  /** `namespace/name`. */
  readonly lease: string;
  readonly identity: string;
  readonly leads: boolean;
  /** "" if nobody leads, or the leader is not known. */
  readonly leader: string;
  /** The end of this process's last term against its will, while it does not lead again. */
  readonly lost?: { readonly at: number; readonly why: string };
}

/** Everything is asked again for each view, so parts may start and end while the page is open. */
export interface PageSources {
  /** The name of the program. */
  readonly title: string;
  informers(): Iterable<ShownInformer>;
  loops(): Iterable<ShownLoop>;
  /** Undefined while no controller works. */
  journal(): Journal | undefined;
  readonly metrics: MetricsRegistry;
  /** Reads objects for the page: it shows what this client may read. Without one the page shows caches alone. */
  client(): Client | undefined;
  problems(): readonly string[];
  leadership?(): Leadership | undefined;
  readonly clock?: Clock;
}
