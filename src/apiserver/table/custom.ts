/** Tables of custom kinds, from the printer columns of their definitions. */
import { isNumeric, sortedJson } from "../../api/values/exact-json.js";
import { type CustomResourceColumnDefinition, type KubeObject, ParseError, parseTime } from "../../api/index.js";
import type { TableRenderer } from "../contracts/table.js";
import { humanDuration } from "./human.js";
import { type JsonPath, newBudget, parseJsonPath } from "./json-path.js";
import { columnsOf, name } from "./kind-table.js";

/** The columns of kinds that define none. */
const defaultColumns: readonly CustomResourceColumnDefinition[] = [
  { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
];

/** The characters of a row after which further columns stay empty: each column may show the whole object. */
const maxCharacters = 2 * 1024 * 1024;

/** A column whose path cannot be parsed stays empty; definitions are validated when they are written. */
export function customTable(columns: readonly CustomResourceColumnDefinition[] | undefined): TableRenderer {
  const wanted = columns === undefined || columns.length === 0 ? defaultColumns : columns;
  const paths = wanted.map(({ jsonPath }) => pathOrNothing(jsonPath));
  return {
    columns: [
      ...columnsOf(["Name"]),
      ...wanted.map(({ name: title, type, format = "", description, priority = 0, jsonPath }) => ({
        name: title,
        type,
        format,
        description: description ?? `Custom resource definition column (in JSONPath format): ${jsonPath}`,
        priority,
      })),
    ],
    cells: (object: KubeObject, now: number) => {
      // one budget for the row, however many columns there are
      const budget = newBudget();
      let characters = 0;
      const found = wanted.map(({ type }, index) => {
        const value =
          characters > maxCharacters ? null : cell(type, (paths[index] as JsonPath)(object, budget)[0], now);
        if (typeof value === "string") characters += value.length;
        return value;
      });
      return [name(object), ...found];
    },
  };
}

function pathOrNothing(text: string): JsonPath {
  try {
    return parseJsonPath(text);
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    return () => [];
  }
}

function cell(type: string, value: unknown, now: number): unknown {
  if (value === undefined || value === null) return null;
  switch (type) {
    case "string":
      return typeof value === "object" ? sortedJson(value) : String(value);
    case "integer":
      return typeof value === "number" ? Math.trunc(value) : typeof value === "bigint" ? value : null;
    case "number":
      return isNumeric(value) ? Number(value) : null;
    case "boolean":
      return typeof value === "boolean" ? value : null;
    case "date":
      return typeof value === "string" ? age(value, now) : null;
    default:
      return null;
  }
}

function age(time: string, now: number): string {
  try {
    return humanDuration(now - parseTime(time));
  } catch {
    return "<invalid>";
  }
}
