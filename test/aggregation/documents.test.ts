import type { ServerResponse } from "node:http";
import { describe, expect, test } from "vitest";
import type { Json } from "../ask.js";
import { type Answers, group, root, startExtensionServer } from "./extension-server.js";
import { kinds, type Place, register, startPlace } from "./place.js";

const absent = (response: ServerResponse): void => void response.writeHead(404).end();
const path = `apis/${group}/v1`;

const oldDocument = {
  swagger: "2.0",
  info: { title: "old", version: "v0.1" },
  paths: {
    [`${root}/namespaces/{namespace}/flunders`]: {
      parameters: [{ name: "namespace", in: "path", required: true, type: "string", uniqueItems: true }],
      post: {
        description: "makes one",
        consumes: ["*/*"],
        produces: ["application/json", "application/yaml"],
        operationId: "createFlunder",
        parameters: [{ name: "body", in: "body", required: true, schema: { $ref: "#/definitions/test.Flunder" } }],
        responses: {
          "200": { description: "OK", schema: { $ref: "#/definitions/test.Flunder" } },
          "401": { description: "Unauthorized" },
        },
        "x-kubernetes-action": "post",
      },
    },
  },
  definitions: {
    "test.Flunder": {
      description: "An animal.",
      type: "object",
      required: ["spec"],
      properties: {
        spec: { description: "its wishes", default: {}, $ref: "#/definitions/test.Spec" },
        friends: { type: "array", items: { $ref: "#/definitions/test.Flunder" } },
        sizes: { type: "object", additionalProperties: { type: "integer", format: "int64" } },
      },
      "x-kubernetes-group-version-kind": [{ group, version: "v1", kind: "Flunder" }],
    },
    "test.Spec": { type: "object", properties: { colour: { type: "string" } } },
  },
};

async function withExtension(kind: (typeof kinds)[number], answers: Answers, use: (place: Place) => Promise<void>) {
  await using extension = await startExtensionServer(answers);
  await using place = await startPlace(kind);
  await register(place, extension);
  await use(place);
}

const patience = { timeout: 100_000, interval: 500 };

// a real server reads the schemas some time after the group has become available
describe.each(kinds)("%s", (kind) => {
  const listed = async (place: Place): Promise<Json> =>
    JSON.parse((await place.send("/openapi/v3")).text).paths[path]?.serverRelativeURL;

  test("makes OpenAPI v3 of the v2 document of a server that has no other", { timeout: 120_000 }, async () => {
    const answers = { "/openapi/v3": absent, "/openapi/v2": oldDocument };
    await withExtension(kind, answers, async (place) => {
      await expect
        .poll(() => listed(place), patience)
        .toMatch(new RegExp(`^/openapi/v3/${path}\\?hash=[0-9A-Fa-f]{40,}$`));
      const { status, text } = await place.send(await listed(place));
      expect(status).toBe(200);
      const $ref = "#/components/schemas/test.Flunder";
      expect(JSON.parse(text)).toEqual({
        openapi: "3.0.0",
        info: { title: "old", version: "v0.1" },
        paths: {
          [`${root}/namespaces/{namespace}/flunders`]: {
            parameters: [
              { name: "namespace", in: "path", required: true, schema: { type: "string", uniqueItems: true } },
            ],
            post: {
              description: "makes one",
              operationId: "createFlunder",
              requestBody: { content: { "*/*": { schema: { $ref } } } },
              responses: {
                "200": {
                  description: "OK",
                  content: { "application/json": { schema: { $ref } }, "application/yaml": { schema: { $ref } } },
                },
                "401": { description: "Unauthorized" },
              },
              "x-kubernetes-action": "post",
            },
          },
        },
        components: {
          schemas: {
            ...oldDocument.definitions,
            "test.Flunder": {
              ...oldDocument.definitions["test.Flunder"],
              properties: {
                spec: {
                  description: "its wishes",
                  default: {},
                  allOf: [{ $ref: "#/components/schemas/test.Spec" }],
                },
                friends: { type: "array", items: { $ref } },
                sizes: { type: "object", additionalProperties: { type: "integer", format: "int64" } },
              },
            },
          },
        },
      });
    });
  });

  test("lists a document without a hash", { timeout: 120_000 }, async () => {
    const serverRelativeURL = `/openapi/v3/${path}`;
    await withExtension(kind, { "/openapi/v3": { paths: { [path]: { serverRelativeURL } } } }, async (place) => {
      await expect.poll(() => listed(place), patience).toBe(serverRelativeURL);
      const { text } = await place.send(serverRelativeURL);
      expect(JSON.parse(text).info).toEqual({ title: "of the extension" });
    });
  });
});
