/** Defines the table of a kind: its columns in short notation, and the function from an object to its cells. */
import { lookup } from "../../base/members.js";
import type { KubeObject } from "../../api/index.js";
import type { ColumnDefinition, TableRenderer } from "../contracts/table.js";
import { since } from "./human.js";

/** The values that a cell function gets besides the object. */
interface CellContext {
  /** Wall time in milliseconds. */
  readonly now: number;
  /** The time since the object's creation, printed. */
  readonly age: string;
}

export type Cells<T extends KubeObject> = (object: T, context: CellContext) => readonly unknown[];

/**
 * Columns by name. A trailing `*` shows the column in wide output only; `:integer`, `:boolean` and `:date` give a type
 * other than string. The column `Name` is the object's name.
 */
export function table<T extends KubeObject>(columns: readonly string[], cells: Cells<T>): TableRenderer {
  return {
    columns: columns.map(column),
    cells: (object, now) => cells(object as T, { now, age: since(object.metadata.creationTimestamp, now) }),
  };
}

function column(text: string): ColumnDefinition {
  const wide = text.endsWith("*");
  const [name = "", type = "string"] = (wide ? text.slice(0, -1) : text).split(":");
  const described = descriptions[name] ?? "";
  return { name, type, format: name === "Name" ? "name" : "", description: described, priority: wide ? 1 : 0 };
}

const descriptions: Readonly<Record<string, string>> = lookup({
  Name: "The name of the object, unique within its namespace and kind.",
  Age: "The time since the object was created.",
  "Created At": "The time at which the object was created.",
});

/** The table of kinds without one of their own. */
export const defaultTable: TableRenderer = table(["Name", "Created At:date"], ({ metadata }) => [
  metadata.name,
  metadata.creationTimestamp ?? null,
]);
