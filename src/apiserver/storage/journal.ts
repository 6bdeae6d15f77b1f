/**
 * The interface of durability: the store passes on batches of transactions in order; a journal that resolves has them
 * on disk.
 */
import type { StoreEvent } from "./contract.js";

/** All changes of one revision. */
export interface Transaction {
  readonly revision: number;
  readonly events: readonly StoreEvent[];
}

/**
 * `append` is called with one batch at a time, never while another is under way. When it resolves, the batch survives a
 * crash of the machine; when it rejects, nothing of the batch will ever be replayed, or the journal refuses everything
 * until it is reopened.
 */
export interface Journal {
  append(batch: readonly Transaction[]): Promise<void>;
  /** Why batches are refused for good, if they are. */
  readonly broken?: Error | undefined;
  /** Called now and then after a settled batch; may write a snapshot. Never rejects. */
  settled?(revision: number): void;
  close(): Promise<void>;
}
