/** A table shows the objects of one kind in rows and columns, as `kubectl get` prints them. */
import type { KubeObject } from "../../api/index.js";

export interface ColumnDefinition {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly description: string;
  readonly priority: number;
}

/** The table in which kubectl shows a kind. `cells` has one value per column; ages are counted to `now` (milliseconds of wall time). */
export interface TableRenderer {
  readonly columns: readonly ColumnDefinition[];
  cells(object: KubeObject, now: number): readonly unknown[];
  /** The row's conditions. */
  conditions?(object: KubeObject): readonly object[] | undefined;
  /** The order of rows, where it is not that of the list. */
  compare?(a: KubeObject, b: KubeObject): number;
}
