/**
 * What ownership must know of a type: which values are one leaf, and how the items of lists are told apart. Made from the tables of the
 * built-in kinds and from the schemas of custom kinds; used by everything in this folder.
 */

/** Any of the three may be allowed; which one holds is seen by the value. */
export interface ApplyType {
  readonly scalar?: ScalarType | undefined;
  readonly list?: ListType | undefined;
  readonly map?: MapType | undefined;
}

/** `untyped` is any scalar. */
export type ScalarType = "string" | "numeric" | "boolean" | "untyped";

export interface ListType {
  /** The list as a whole is one leaf. Otherwise items have keys, or are a set of scalars if there are no keys. */
  readonly atomic: boolean;
  readonly keys: readonly string[];
  readonly items: ApplyType;
}

export interface MapType {
  /** The object as a whole is one leaf. */
  readonly atomic: boolean;
  /** A declared field; these are part of the type, other members are data. */
  field(name: string): FieldOfMap | undefined;
  /** The type of all other members; undefined if there may be none. */
  readonly others: ApplyType | undefined;
  /** Has no declared fields and takes anything: nothing is known of what is inside. */
  readonly deduced?: boolean;
}

export interface FieldOfMap {
  readonly type: ApplyType;
  /** For a field that is a key of list items: the value of an item without it. */
  readonly default?: unknown;
}

const noField = (): undefined => undefined;

/** A value that changes as a whole, whatever it is. */
export const untypedAtomic: ApplyType = {
  scalar: "untyped",
  list: {
    atomic: true,
    keys: [],
    get items() {
      return untypedAtomic;
    },
  },
  map: {
    atomic: true,
    field: noField,
    get others() {
      return untypedAtomic;
    },
  },
};

/** Without a schema: objects are granular, lists change as a whole. */
export const deduced: ApplyType = {
  scalar: "untyped",
  list: { atomic: true, keys: [], items: untypedAtomic },
  map: {
    atomic: false,
    field: noField,
    get others() {
      return deduced;
    },
    deduced: true,
  },
};

/** Narrows a type to the one form that the value has; a null or a misfit leaves all forms open. */
export function formOf(type: ApplyType, value: unknown): "map" | "scalar" | "list" | undefined {
  switch (typeof value) {
    case "string":
    case "number":
    case "boolean":
      if (type.scalar !== undefined) return "scalar";
      break;
    case "object":
      if (Array.isArray(value)) {
        if (type.list !== undefined) return "list";
      } else if (value !== null && type.map !== undefined) return "map";
      break;
    default:
  }
  if (type.map !== undefined) return "map";
  if (type.scalar !== undefined) return "scalar";
  return type.list === undefined ? undefined : "list";
}

/** The type of a member; undefined where the type allows none of that name. */
export function memberType(map: MapType, name: string): ApplyType | undefined {
  return map.field(name)?.type ?? map.others;
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
