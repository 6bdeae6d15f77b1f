/**
 * Descriptions of types and fields. The lookup order: this field of this type, this field of any condition, this field
 * name anywhere. Read from the generated table at first use: lines of `type field<TAB>text`, where `*` and `*Condition`
 * stand for many types.
 */
import { lazy } from "../../base/lazy.js";
import { descriptionTable } from "../generated/descriptions.js";

const texts = lazy<ReadonlyMap<string, string>>(
  () =>
    new Map(
      descriptionTable.split("\n").map((line) => {
        const tab = line.indexOf("\t");
        return [line.slice(0, tab), line.slice(tab + 1)];
      }),
    ),
);

const lookUp = (key: string): string | undefined => texts().get(key);

/** The description of a type by its qualified name; undefined if there is none. */
export function describeType(qualified: string): string | undefined {
  return lookUp(`${qualified} `);
}

/** The description of a field of a type; undefined if there is none. */
export function describeField(qualified: string, field: string): string | undefined {
  const ofCondition = qualified.endsWith("Condition") ? lookUp(`*Condition ${field}`) : undefined;
  // the shared text speaks of a list's objects, so it fits the `items` of List types only
  const shared = field === "items" && !qualified.endsWith("List") ? undefined : lookUp(`* ${field}`);
  return lookUp(`${qualified} ${field}`) ?? ofCondition ?? shared;
}
