/** Turns the generated types of the built-in kinds into ApplyTypes. */
import { getOrMake } from "../../../base/containers/recent.js";
import type { FieldType, ObjectType, Shape } from "../../../api/schema/index.js";
import { type ApplyType, deduced, type FieldOfMap, type ListType, untypedAtomic } from "./types.js";

/**
 * Gives the same ApplyType each time that it is asked for a type. The types of fields are made when they are first
 * looked up, since types refer to each other in circles.
 */
export class BuiltInTypes {
  readonly #granular = new Map<ObjectType, ApplyType>();
  readonly #atomic = new Map<ObjectType, ApplyType>();

  /** The type of a built-in kind, or of a part of one. */
  of(type: ObjectType, mapType?: FieldType["mapType"]): ApplyType {
    const atomic = mapType === undefined ? type.atomic : mapType === "atomic";
    const known = atomic ? this.#atomic : this.#granular;
    return getOrMake(known, type, () => this.#objectType(type, atomic));
  }

  #objectType(type: ObjectType, atomic: boolean): ApplyType {
    const known = new Map<string, FieldOfMap>();
    return {
      map: {
        atomic,
        field: (name) => {
          let found = known.get(name);
          if (found === undefined) {
            const field = type.properties.get(name);
            if (field === undefined) return undefined;
            found = { type: this.#ofShape(field.shape, field), default: field.default };
            known.set(name, found);
          }
          return found;
        },
        // an object type without declared fields takes any member
        others: type.properties.size === 0 ? deduced : undefined,
      },
    };
  }

  #ofShape(shape: Shape, field?: FieldType): ApplyType {
    if (shape.kind === "object") return this.of(shape.type, field?.mapType);
    if (shape.kind === "list") return { list: listType(this.#ofShape(shape.items), field) };
    if (shape.kind !== "map") return valueTypes[shape.kind] ?? deduced;
    const others = this.#ofShape(shape.items);
    return { map: { atomic: field?.mapType === "atomic", field: () => undefined, others } };
  }
}

const string: ApplyType = { scalar: "string" };
const numeric: ApplyType = { scalar: "numeric" };
const untyped: ApplyType = { scalar: "untyped" };

/** The types of values without parts of their own. Values of any other kind are deduced. */
const valueTypes: Readonly<Partial<Record<Shape["kind"], ApplyType>>> = {
  string,
  bytes: string,
  duration: string,
  boolean: { scalar: "boolean" },
  int32: numeric,
  int64: numeric,
  double: numeric,
  time: untyped,
  microTime: untyped,
  quantity: untyped,
  intOrString: untyped,
  fieldsV1: { map: { atomic: false, field: () => undefined, others: deduced, deduced: true } },
  rawExtension: untypedAtomic,
};

function listType(type: ApplyType, field?: FieldType): ListType {
  if (field?.listType === "map") return { atomic: false, keys: field.listMapKeys, items: type };
  if (field?.listType === "set") return { atomic: false, keys: [], items: type };
  if (field?.listType === undefined && field?.patchStrategy?.startsWith("merge") === true) {
    return { atomic: false, keys: field.patchMergeKey === undefined ? [] : [field.patchMergeKey], items: type };
  }
  return { atomic: true, keys: [], items: type };
}
