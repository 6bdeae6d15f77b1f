/** The changes that users may ask for: takes custom objects and their definitions, gives the changes that the schemas suggest. */
import { CustomResourceDefinition, isDeleting, type KubeObject } from "../../../api/index.js";
import { describePlace, type Place, placeNamed, type Somebody } from "../fault.js";
import { type AskedChange, changesOf, type FieldSchema } from "./changes.js";

const definition = { apiVersion: "apiextensions.k8s.io/v1", kind: CustomResourceDefinition.kind };

export interface Ask {
  readonly place: Place;
  readonly change: AskedChange;
}

export type AskedObject = KubeObject & { readonly spec?: unknown };

/** The valid changes of the objects at these places, or the invalid ones. */
export async function asksOf(user: Somebody, asked: readonly Place[], invalid: boolean): Promise<readonly Ask[]> {
  const objects: KubeObject[] = [...(await user.list(definition))];
  for (const place of asked) {
    const object = await user.read(place);
    if (object !== undefined) objects.push(object);
  }
  return asksIn(objects, asked).filter(({ change }) => change.isInvalid === invalid);
}

/** All changes of the objects at these places, in the order of the places and of the schemas. Pure. */
export function asksIn(objects: readonly KubeObject[], asked: readonly Place[]): readonly Ask[] {
  const definitions = objects.filter((object): object is CustomResourceDefinition => object.kind === definition.kind);
  const byPlace = new Map(objects.map((object) => [describePlace(placeNamed(object)), object]));
  const places = new Map(asked.map((place) => [describePlace(place), place]));
  return Array.from(places, ([name, place]) => {
    const schema = schemaOf(definitions, place);
    const object = byPlace.get(name) as AskedObject | undefined;
    if (schema === undefined || object === undefined || isDeleting(object)) return [];
    return changesOf(schema, object).map((change) => ({ place: placeNamed(object), change }));
  }).flat();
}

function schemaOf(
  definitions: readonly CustomResourceDefinition[],
  { apiVersion, kind }: Place,
): FieldSchema | undefined {
  const [group, version] = apiVersion.split("/");
  const found = definitions.find(({ spec }) => spec.group === group && spec.names.kind === kind);
  return found?.spec.versions.find(({ name }) => name === version)?.schema?.openAPIV3Schema as FieldSchema | undefined;
}
