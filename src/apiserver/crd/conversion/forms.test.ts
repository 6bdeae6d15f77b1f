import { expect, test } from "vitest";
import type { CustomResourceDefinition, KubeObject } from "../../../api/index.js";
import type { Stored } from "../../storage/contract.js";
import { conversionsOf } from "./forms.js";
import type { ConvertedWork } from "./work.js";

const version = (name: string, storage: boolean, size: object) => ({
  name,
  storage,
  served: true,
  schema: { openAPIV3Schema: { type: "object", properties: { spec: { type: "object", properties: { size } } } } },
});

test("an object that rests in a version that was stored once is read by that version's schema, and shown in the asked one", () => {
  const versions = [
    version("v1beta1", false, { type: "integer" }),
    version("v1", true, { type: "integer", default: 7 }),
  ] as const;
  const definition = { spec: { group: "e.com", versions } } as unknown as CustomResourceDefinition;
  const object = { kind: "Widget", apiVersion: "e.com/v1beta1", metadata: { name: "w" }, spec: {} } as KubeObject;
  const stored = { object, bytes: Buffer.from(JSON.stringify(object)), revision: 1, key: "w" } as unknown as Stored;
  const shown = versions.map((one) => {
    const parts = { convert: undefined, work: undefined as unknown as ConvertedWork };
    return conversionsOf(definition, one as never, parts).view(stored).object;
  });
  // the default of v1 comes with the next write
  expect(shown).toEqual([object, { ...object, apiVersion: "e.com/v1" }]);
});
