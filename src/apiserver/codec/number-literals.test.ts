import { expect, test } from "vitest";
import { type ObjectType, builtInTypeOf } from "../../api/schema/index.js";
import { overflowingNumber, refusedNumber, refusedOperand } from "./number-literals.js";

const type = builtInTypeOf("apps/v1", "Deployment") as ObjectType;
const deployment = (spec: string): string => `{"metadata":{"name":"a","generation":7},"spec":{${spec}}}`;
const port = (text: string): string =>
  deployment(
    `"template":{"spec":{"containers":[{"name":"1.5","image":"a:1.0"},{"ports":[{"containerPort":${text}}]}]}}`,
  );

test.each(['"replicas":3', '"replicas":null', '"progressDeadlineSeconds":-2147483648'])("%s is taken", (spec) => {
  expect(refusedNumber(deployment(spec), type)).toBeUndefined();
});

test.each(["1.0", "1e2", "1e400", "9223372036854775808", `1${"0".repeat(5_000)}`])("%s is no integer", (number) => {
  const field = "DeploymentSpec.spec.replicas of type int32";
  const words = `json: cannot unmarshal number ${number} into Go struct field ${field}`;
  expect(refusedNumber(deployment(`"replicas":${number}`), type)).toBe(words);
});

test("the field is named by the fields that lead to it", () => {
  const field = "ContainerPort.spec.template.spec.containers.ports.containerPort of type int32";
  expect(refusedNumber(port("8e1"), type)).toBe(`json: cannot unmarshal number 8e1 into Go struct field ${field}`);
});

test("numbers inside texts, of unknown fields and of quantities are left alone", () => {
  const quantity = '"template":{"spec":{"containers":[{"resources":{"limits":{"cpu":1.5}}}]}}';
  for (const spec of [quantity, '"nothing":1e400', '"x":["a\\\\\\": 1.5",1.5]', '"strategy":{"type":"\\": 1.5"}']) {
    expect(refusedNumber(deployment(spec), type)).toBeUndefined();
  }
});

test("operands of a JSON patch are judged where their path leads to", () => {
  const value = '{"name":"c","ports":[{"containerPort":80.0}]}';
  const taken = '{"op":"add","path":"/metadata/annotations/1.5","value":"1.5"}';
  const text = `[${taken},{"value":${value},"op":"add","path":"/spec/template/spec/containers/-"}]`;
  const field = "ContainerPort.spec.template.spec.containers.ports.containerPort of type int32";
  const words = `json: cannot unmarshal number 80.0 into Go struct field ${field}`;
  expect(refusedOperand(text, JSON.parse(text) as unknown[], type)).toBe(words);
  for (const path of ["/spec/paused", "/no/such~1field", "", 7]) {
    const other = `[{"op":"add","path":${JSON.stringify(path)},"value":1.5}]`;
    expect(refusedOperand(other, JSON.parse(other) as unknown[], type)).toBeUndefined();
  }
});

test.each([
  ["1e400", "1e400"],
  [" -1E+999 ", "-1E+999"],
  ['{"a":{"b" : 1.5e309}}', "1.5e309"],
  ['{"a":[1,2e999]}', "2e999"],
  [`[${"9".repeat(400)}]`, "9".repeat(400)],
  [`{"a":-${"9".repeat(400)}.5}`, `-${"9".repeat(400)}.5`],
  ['{"a":1e308,"b":[0,1.5E+12,-3]}', undefined],
  ['{"uid":"3e999-7e4000","id":"containerd://4e1234","list":["[1e400",",1e400",":1e400"]}', undefined],
])("beyond a double in %s: %s", (text, number) => {
  expect(overflowingNumber(text)).toBe(number);
});
