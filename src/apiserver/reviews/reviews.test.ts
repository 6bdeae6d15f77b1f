import { expect, test } from "vitest";
import { ask } from "../../../test/ask.js";
import { startTestServer } from "../../testing/cluster.js";

const authorization = "/apis/authorization.k8s.io/v1";
const attributes = { verb: "list", resource: "pods" };

test.each<[string, object, string]>([
  ["metadata", { metadata: { name: "a" }, spec: { resourceAttributes: attributes } }, "must be empty"],
  [
    "spec.resourceAttributes.fieldSelector.requirements",
    { spec: { resourceAttributes: { ...attributes, fieldSelector: {} } } },
    "when spec.resourceAttributes.fieldSelector is specified, requirements or rawSelector is required",
  ],
  [
    "spec.resourceAttributes.labelSelector.requirements[0].values",
    {
      spec: { resourceAttributes: { ...attributes, labelSelector: { requirements: [{ key: "a", operator: "In" }] } } },
    },
    "must be specified when `operator` is 'In' or 'NotIn'",
  ],
])("a review is refused because of its %s", async (field, body, why) => {
  await using server = await startTestServer({});
  const { code, details } = await ask(server, "POST", `${authorization}/selfsubjectaccessreviews`, body);
  expect([code, details.causes]).toEqual([
    422,
    [{ field, reason: expect.any(String), message: expect.stringContaining(why) }],
  ]);
});

test("selectors that are not understood are told, and ignored", async () => {
  await using server = await startTestServer({});
  const requirements = [
    { key: "a", operator: "In", values: ["b"] },
    { key: "a", operator: "Newer", values: ["b"] },
  ];
  const resourceAttributes = {
    ...attributes,
    labelSelector: { requirements },
    fieldSelector: { requirements: [{ key: "a", operator: "Exists" }] },
  };
  const { status } = await ask(server, "POST", `${authorization}/selfsubjectaccessreviews`, {
    spec: { resourceAttributes },
  });
  expect(status).toMatchObject({
    allowed: true,
    evaluationError:
      "spec.resourceAttributes.fieldSelector ignored due to parse error; spec.resourceAttributes.labelSelector partially ignored due to parse error",
  });
});

test("a token for another uid than the account's is refused", async () => {
  await using server = await startTestServer({});
  await ask(server, "POST", "/api/v1/namespaces", { metadata: { name: "n" } });
  const accounts = "/api/v1/namespaces/n/serviceaccounts";
  const { metadata } = await ask(server, "POST", accounts, { metadata: { name: "a" } });
  const token = (uid: string) => ask(server, "POST", `${accounts}/a/token`, { metadata: { uid }, spec: {} });
  expect(await token("other")).toMatchObject({
    code: 409,
    message: `Operation cannot be fulfilled on TokenRequest.authentication.k8s.io "a": the UID in the token request (other) does not match the UID of the service account (${metadata.uid})`,
  });
  expect(await token(metadata.uid)).toMatchObject({ code: 201, metadata: { uid: metadata.uid } });
});
