/** The types of ownership: which values are one leaf, and how the items of lists are told apart. */

/** A type may allow several of the three forms; the value decides which one applies. */
export interface ApplyType {
  readonly scalar?: ScalarType | undefined;
  readonly list?: ListType | undefined;
  readonly map?: MapType | undefined;
}

/** `untyped` accepts every scalar. */
export type ScalarType = "string" | "numeric" | "boolean" | "untyped";

export interface ListType {
  /**
   * True if the list as a whole is one leaf. Otherwise `keys` tell the items apart; without keys, the list is a set of
   * scalars.
   */
  readonly atomic: boolean;
  readonly keys: readonly string[];
  readonly items: ApplyType;
}

export interface MapType {
  /** True if the object as a whole is one leaf. */
  readonly atomic: boolean;
  /** A declared field. Declared fields are part of the type; other members are data. */
  field(name: string): FieldOfMap | undefined;
  /** The type of all other members; undefined if none are allowed. */
  readonly others: ApplyType | undefined;
  /** True for a map without declared fields that accepts anything: the types of its contents are unknown. */
  readonly deduced?: boolean;
}

export interface FieldOfMap {
  readonly type: ApplyType;
  /** For a field that is a key of list items: the value that an item without the field has. */
  readonly default?: unknown;
}

const noField = (): undefined => undefined;

/** Any value, changed as a whole. */
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

/** The type of a value without a schema: objects are granular, lists change as a whole. */
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

/**
 * The form of the value, if the type allows it; undefined for null and for a value that does not fit, which leaves all
 * forms open.
 */
export function formOf(type: ApplyType, value: unknown): "map" | "scalar" | "list" | undefined {
  switch (typeof value) {
    case "string":
    case "number":
    case "bigint":
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

/** The type of a member; undefined if the type allows no member of that name. */
export function memberType(map: MapType, name: string): ApplyType | undefined {
  return map.field(name)?.type ?? map.others;
}
