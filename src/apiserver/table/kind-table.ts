/** Defines the table of a kind: each column by its title in short notation, with the function from an object to its cell. */
import { lookup } from "../../base/members.js";
import type { KubeObject } from "../../api/index.js";
import type { ColumnDefinition, TableRenderer } from "../contracts/table.js";
import { since } from "./human.js";

/** The cell of an object; `now` is wall time in milliseconds. */
type Cell<T extends KubeObject> = (object: T, now: number) => unknown;

/**
 * Cells by the title of their column, in order. A trailing `*` shows the column in wide output only; `:integer`,
 * `:boolean` and `:date` give a type other than string.
 */
export type Columns<T extends KubeObject> = Readonly<Record<string, Cell<T>>>;

export type Tables = Readonly<Record<string, TableRenderer>>;

export function table<T extends KubeObject>(columns: Columns<T>): TableRenderer {
  const cells = Object.values(columns);
  return {
    columns: columnsOf(Object.keys(columns)),
    cells: (object, now) => cells.map((cell) => cell(object as T, now)),
  };
}

export const columnsOf = (titles: readonly string[]): readonly ColumnDefinition[] => titles.map(columnOf);

function columnOf(title: string): ColumnDefinition {
  const wide = title.endsWith("*");
  const [name = "", type = "string"] = (wide ? title.slice(0, -1) : title).split(":");
  const described = descriptions[name] ?? "";
  return { name, type, format: name === "Name" ? "name" : "", description: described, priority: wide ? 1 : 0 };
}

const descriptions: Readonly<Record<string, string>> = lookup({
  Name: "The name of the object, unique within its namespace and kind.",
  Age: "The time since the object was created.",
  "Created At": "The time at which the object was created.",
});

/** Empty for a bookmark, which has no name. */
export const name = ({ metadata }: KubeObject): string => (metadata as Partial<KubeObject["metadata"]>).name ?? "";

/** The time since the object's creation, printed. */
export const age = ({ metadata }: KubeObject, now: number): string => since(metadata.creationTimestamp, now);

/** The name, marked if one of the annotations makes the object the default of its kind. */
export const nameOrDefault =
  (...annotations: readonly string[]) =>
  (object: KubeObject): string =>
    annotations.some((one) => object.metadata.annotations?.[one] === "true")
      ? `${name(object)} (default)`
      : name(object);

/** The table of kinds without one of their own. */
export const defaultTable: TableRenderer = table({
  Name: name,
  "Created At:date": ({ metadata }) => metadata.creationTimestamp ?? null,
});
