/** `quantity(text)`: amounts of resources, compared and added. */
import { Quantity } from "../../../api/index.js";
import { type Library, overload, type Overload } from "../checker/environment.js";
import { opaque } from "../values/types.js";
import { intOrFailure } from "../values/numbers.js";
import { ErrorValue, Opaque, type Value } from "../values/value.js";

const type = opaque("kubernetes.Quantity");

class QuantityValue extends Opaque {
  readonly type = type;
  readonly amount: Quantity;

  constructor(amount: Quantity) {
    super();
    this.amount = amount;
  }

  equals(other: this): boolean {
    return this.amount.equals(other.amount);
  }
}

/** The value of a quantity in an object. */
export const quantityValue = (text: string): Value => parsed(text);

function parsed(text: string): Value {
  try {
    return new QuantityValue(Quantity.parse(text));
  } catch {
    return new ErrorValue(
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    );
  }
}

/** The whole number; undefined if the quantity is no whole number, or too large for an int. */
function wholeOf({ amount }: QuantityValue): bigint | undefined {
  const value = amount.value();
  const isWhole = Quantity.of(value).equals(amount);
  return isWhole && !(intOrFailure(value) instanceof ErrorValue) ? value : undefined;
}

type One = [QuantityValue];
type Two = [QuantityValue, QuantityValue];
type WithInt = [QuantityValue, bigint];

const member = (id: string, signature: string, run: (args: never) => Value): Overload =>
  overload(id, signature.replaceAll("Q", "kubernetes.Quantity"), run as (args: readonly Value[]) => Value);

export const quantityLibrary: Library = {
  quantity: [
    overload("string_to_quantity", "(string) -> kubernetes.Quantity", ([text]: [string], meter) => {
      meter.read(text.length);
      return parsed(text);
    }),
  ],
  isQuantity: [
    overload("is_quantity_string", "(string) -> bool", ([text]: [string], meter) => {
      meter.read(text.length);
      return !(parsed(text) instanceof ErrorValue);
    }),
  ],
  sign: [member("quantity_sign", "(Q) -> int", ([{ amount }]: One) => BigInt(amount.sign))],
  isGreaterThan: [member("quantity_is_greater_than", "Q.(Q) -> bool", ([a, b]: Two) => a.amount.compare(b.amount) > 0)],
  isLessThan: [member("quantity_is_less_than", "Q.(Q) -> bool", ([a, b]: Two) => a.amount.compare(b.amount) < 0)],
  compareTo: [member("quantity_compare_to", "Q.(Q) -> int", ([a, b]: Two) => BigInt(a.amount.compare(b.amount)))],
  asApproximateFloat: [
    member("quantity_get_float", "Q.() -> double", ([{ amount }]: One) => amount.asApproximateFloat()),
  ],
  asInteger: [
    member(
      "quantity_get_int",
      "Q.() -> int",
      ([one]: One) => wholeOf(one) ?? new ErrorValue("cannot convert value to integer"),
    ),
  ],
  isInteger: [member("quantity_is_integer", "Q.() -> bool", ([one]: One) => wholeOf(one) !== undefined)],
  add: [
    member("quantity_add", "Q.(Q) -> Q", ([a, b]: Two) => new QuantityValue(a.amount.add(b.amount))),
    member("quantity_add_int", "Q.(int) -> Q", ([a, b]: WithInt) => new QuantityValue(a.amount.add(Quantity.of(b)))),
  ],
  sub: [
    member("quantity_sub", "Q.(Q) -> Q", ([a, b]: Two) => new QuantityValue(a.amount.sub(b.amount))),
    member("quantity_sub_int", "Q.(int) -> Q", ([a, b]: WithInt) => new QuantityValue(a.amount.sub(Quantity.of(b)))),
  ],
};
