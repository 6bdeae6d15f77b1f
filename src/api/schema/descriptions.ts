/**
 * Words for types and fields, in the order: for this field of this type, for all conditions, for the name wherever it occurs. Read from the
 * generated table when first asked for: lines of `type field<TAB>text`, where `*` and `*Condition` stand for many types.
 */
import { descriptionTable } from "../generated/descriptions.js";

let texts: ReadonlyMap<string, string> | undefined;

function lookUp(key: string): string | undefined {
  texts ??= new Map(
    descriptionTable.split("\n").map((line) => {
      const tab = line.indexOf("\t");
      return [line.slice(0, tab), line.slice(tab + 1)];
    }),
  );
  return texts.get(key);
}

/** What a type is, by its qualified name; undefined where nobody has said anything. */
export function describeType(qualified: string): string | undefined {
  return lookUp(`${qualified} `);
}

/** What a field of a type is. */
export function describeField(qualified: string, field: string): string | undefined {
  const ofCondition = qualified.endsWith("Condition") ? lookUp(`*Condition ${field}`) : undefined;
  // only a list's items are objects
  const shared = field === "items" && !qualified.endsWith("List") ? undefined : lookUp(`* ${field}`);
  return lookUp(`${qualified} ${field}`) ?? ofCondition ?? shared;
}
