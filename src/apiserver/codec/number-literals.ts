/** Takes JSON text and its type; finds the first number whose spelling Go refuses, which JSON.parse does not preserve. */
import { type FieldType, mismatchWords, type ObjectType, type Shape } from "../../api/schema/index.js";

/** A number with a fraction or an exponent, or with more digits than a double holds. */
const unusual = /(?:"\s*:|[[,])\s*-?\d+(?:[.eE]|\d{15})/;

/** A string that does not end is one token too, or each of its quotes would be tried anew. */
const tokens = /"(?:[^"\\]|\\[^]?)*"?|[{}[\],:]|-?\d[\d.eE+-]*/g;

interface Level {
  /** The shape of the members of a map or the items of a list. */
  readonly items: Shape | undefined;
  /** The type of an object. */
  readonly type: ObjectType | undefined;
  /** The shape of the member that follows. */
  next: Shape | undefined;
}

/** The message with which Go refuses the number, if there is one. `text` is valid JSON. */
export function refusedNumber(text: string, type: ObjectType): string | undefined {
  if (!unusual.test(text)) return undefined;
  const levels: Level[] = [];
  /** The names of the fields that lead here, as messages show them. */
  const names: string[] = [];
  let shape: Shape | undefined = { kind: "object", type };
  let key: string | undefined;
  for (const [token] of text.matchAll(tokens)) {
    const level = levels.at(-1);
    const first = token[0] as string;
    if (first === '"') {
      key = token;
    } else if (first === ":" && level !== undefined) {
      const name = JSON.parse(key as string) as string;
      const field: FieldType | undefined = level.type?.properties.get(name);
      names[levels.length - 1] = field === undefined ? "" : fieldName(name, field);
      level.next = field?.shape ?? level.items;
    } else if (first === "{" || first === "[") {
      shape = level === undefined ? shape : level.next;
      levels.push(levelOf(shape, first === "{"));
    } else if (first === "}" || first === "]") {
      levels.pop();
      names.length = levels.length;
    } else if (first !== ",") {
      const wanted = level?.next;
      if (wanted !== undefined && !isTaken(wanted, token)) {
        const owner = levels.findLast((one) => one.type !== undefined)?.type;
        return mismatchWords(owner, names.filter(Boolean), { given: `number ${token}`, wanted });
      }
    }
  }
  return undefined;
}

/** The same for the operations of a JSON patch to an object of this type. `text` is valid JSON, and was read as `operations`. */
export function refusedOperand(text: string, operations: readonly unknown[], type: ObjectType): string | undefined {
  if (!unusual.test(text)) return undefined;
  for (const [index, value] of operandTexts(text)) {
    const path = (operations[index] as { readonly path?: unknown }).path;
    const words = typeof path === "string" ? refusedNumber(objectWith(path, value, type), type) : undefined;
    if (words !== undefined) return words;
  }
  return undefined;
}

/** The values of a list's operations, by index, as they are written. */
function* operandTexts(text: string): Generator<readonly [number, string]> {
  let [depth, operation, key, start] = [0, 0, "", -1];
  for (const { 0: token, index } of text.matchAll(tokens)) {
    const ends = depth === 2 && (token === "," || token === "}");
    if (ends && start !== -1) yield [operation, text.slice(start, index)];
    if (ends) start = -1;
    if (depth === 1 && token === ",") operation++;
    if (depth === 2 && token === ":" && key === '"value"') start = index + 1;
    if (token === "{" || token === "[") depth++;
    else if (token === "}" || token === "]") depth--;
    key = token;
  }
}

/** The text of an object of the type with nothing but that value, where the path leads to. */
function objectWith(path: string, value: string, type: ObjectType): string {
  let shape: Shape | undefined = { kind: "object", type };
  let [opening, closing] = ["", ""];
  for (const step of path.split("/").slice(1)) {
    const name = step.replaceAll("~1", "/").replaceAll("~0", "~");
    const isList: boolean = shape?.kind === "list";
    opening += isList ? "[" : `{${JSON.stringify(name)}:`;
    closing = (isList ? "]" : "}") + closing;
    shape = memberShape(shape, name);
  }
  return opening + value + closing;
}

function memberShape(shape: Shape | undefined, name: string): Shape | undefined {
  if (shape?.kind === "object") return shape.type.properties.get(name)?.shape;
  return shape?.kind === "list" || shape?.kind === "map" ? shape.items : undefined;
}

/**
 * Only an exponent of three digits, or 309 digits, can exceed a double. A number follows the name of a member or an
 * item, or is the whole text: identifiers in hexadecimal look like exponents, too, and stand in every status of a pod.
 */
const mayOverflow = /(?:"\s*:|[[,]|^)\s*-?(?:\d{309}|\d+(?:\.\d+)?[eE]\+?\d{3})/;

/** The first number beyond the range of a double. `text` is valid JSON. */
export function overflowingNumber(text: string): string | undefined {
  if (!mayOverflow.test(text)) return undefined;
  for (const [token] of text.matchAll(tokens)) {
    if (/^[-\d]/.test(token) && !Number.isFinite(Number(token))) return token;
  }
  return undefined;
}

const fieldName = (name: string, { through }: FieldType): string =>
  through === undefined ? name : `${through}.${name}`;

function levelOf(shape: Shape | undefined, isObject: boolean): Level {
  const type = isObject && shape?.kind === "object" ? shape.type : undefined;
  const items = shape?.kind === (isObject ? "map" : "list") ? (shape as { items: Shape }).items : undefined;
  return { items, type, next: isObject ? undefined : items };
}

function isTaken({ kind }: Shape, number: string): boolean {
  if (kind === "double") return Number.isFinite(Number(number));
  if (kind !== "int32" && kind !== "int64" && kind !== "intOrString") return true;
  if (!/^-?\d+$/.test(number)) return false;
  const bits = kind === "int64" ? 64 : 32;
  // longer numbers do not fit, and would only cost time
  return number.length <= 20 && BigInt.asIntN(bits, BigInt(number)) === BigInt(number);
}
