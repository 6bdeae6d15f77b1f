import { expect, test } from "vitest";
import type { KubeObject } from "../../api/index.js";
import { protobufCodec } from "./protobuf.js";
import { fitsIn } from "./stored-size.js";

const role = (apiVersion: string): KubeObject =>
  ({
    apiVersion,
    kind: "ClusterRole",
    metadata: { name: "a" },
    rules: [{ verbs: ["get"], resourceNames: Array.from({ length: 100 }, (_, i) => String(i)) }],
  }) as unknown as KubeObject;

test("an object is as large as the form in which it would be stored: protobuf, or JSON for kinds without", () => {
  const form = (object: KubeObject) => ({ object, size: Buffer.byteLength(JSON.stringify(object)) });
  const builtIn = form(role("rbac.authorization.k8s.io/v1"));
  const custom = form(role("example.com/v1"));
  const { length } = protobufCodec.encode(builtIn.object);
  expect([builtIn.size > length, custom.size > length]).toEqual([true, true]);
  expect([fitsIn(builtIn, length), fitsIn(custom, length)]).toEqual([true, false]);
  expect([fitsIn(builtIn, length - 1), fitsIn(custom, custom.size)]).toEqual([false, true]);
});
