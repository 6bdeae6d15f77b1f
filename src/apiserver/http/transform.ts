/** The two ways in which clients ask for less than the whole: tables of cells, and metadata only. Pure. */
import type { KubeObject } from "../../api/index.js";
import type { Endpoint, View } from "../registry/endpoint.js";
import type { TableRenderer } from "./providers.js";

export interface TableOptions {
  readonly includeObject: "None" | "Metadata" | "Object";
  /** Wall time, for ages. */
  readonly now: number;
  readonly metaVersion: string;
}

/** Objects are shared: only the shell is new. */
export function partialObject({ metadata }: KubeObject): KubeObject {
  return { kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1", metadata };
}

function conditionsOf(table: TableRenderer, object: KubeObject): { readonly conditions?: readonly object[] } {
  const conditions = table.conditions?.(object);
  return conditions === undefined ? {} : { conditions };
}

export function tableOf(
  { table }: Endpoint,
  views: readonly View[],
  options: TableOptions & { readonly metadata: object; readonly withoutColumns?: boolean },
): KubeObject {
  const { compare } = table;
  const shown = compare === undefined ? views : views.toSorted((a, b) => compare(a.object, b.object));
  const rows = shown.map(({ object }) => ({
    cells: table.cells(object, options.now),
    ...conditionsOf(table, object),
    ...(options.includeObject === "None"
      ? {}
      : { object: options.includeObject === "Object" ? object : partialObject(object) }),
  }));
  return {
    kind: "Table",
    apiVersion: `meta.k8s.io/${options.metaVersion || "v1"}`,
    metadata: options.metadata,
    columnDefinitions: options.withoutColumns ? null : table.columns,
    rows,
  } as unknown as KubeObject;
}
