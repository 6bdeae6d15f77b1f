import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasRealCluster } from "../../src/testing/shared-envtest.js";
import { type ApiAnswer, untilServed } from "./api-request.js";
import { widgetDefinition } from "./apply-definitions.js";
import { bothServers, type BothServers } from "./embedded-request.js";

interface Case {
  readonly title: string;
  readonly method: string;
  readonly path: string;
  readonly body: string;
  readonly contentType?: string;
}

const maps = "/api/v1/namespaces/default/configmaps";
const roles = "/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles";
const widgets = "/apis/apply.example.com/v1/namespaces/default/widgets";
const widget = (name: string, rest: string): string =>
  `{"apiVersion":"apply.example.com/v1","kind":"Widget","metadata":{"name":"${name}"}${rest}}`;
const merge = "application/merge-patch+json";
const strategic = "application/strategic-merge-patch+json";
const json = "application/json-patch+json";
const apply = "application/apply-patch+yaml";
const map = (rest: string): string => `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"fv"}${rest}}`;

const cases: readonly Case[] = [
  { title: "create with an unknown field", method: "POST", path: maps, body: map(',"dta":{"a":"b"}') },
  {
    title: "create with unknown and repeated fields",
    method: "POST",
    path: maps,
    body: map(',"dta":1,"data":{"a":"1","a":"2"}'),
  },
  { title: "create with a repeated field", method: "POST", path: maps, body: map(',"data":{"a":"1","a":"2"}') },
  {
    title: "create with an unknown field in metadata",
    method: "POST",
    path: maps,
    body: '{"metadata":{"name":"fv","lbels":{}}}',
  },
  {
    title: "create in YAML with an unknown field",
    method: "POST",
    path: maps,
    body: "metadata:\n  name: fv\ndta: {}\n",
    contentType: "application/yaml",
  },
  {
    title: "create with an unknown field in a list",
    method: "POST",
    path: roles,
    body: '{"metadata":{"name":"fv"},"rules":[{"verbs":["get"],"resources":["pods"],"apiGroups":[""]},{"verbs":["get"],"resources":["pods"],"apiGroups":[""],"verb":1}]}',
  },
  {
    title: "update with an unknown field",
    method: "PUT",
    path: `${maps}/fv-live`,
    body: '{"metadata":{"name":"fv-live"},"dta":1}',
  },
  {
    title: "merge patch with an unknown field",
    method: "PATCH",
    path: `${maps}/fv-live`,
    body: '{"dta":{"a":"b"},"data":{"x":"1"}}',
    contentType: merge,
  },
  {
    title: "merge patch with a repeated field",
    method: "PATCH",
    path: `${maps}/fv-live`,
    body: '{"data":{"x":"1","x":"2"}}',
    contentType: merge,
  },
  {
    title: "merge patch with a wrong type",
    method: "PATCH",
    path: `${maps}/fv-live`,
    body: '{"data":{"x":1}}',
    contentType: merge,
  },
  { title: "merge patch that is a list", method: "PATCH", path: `${maps}/fv-live`, body: "[]", contentType: merge },
  { title: "merge patch that is no JSON", method: "PATCH", path: `${maps}/fv-live`, body: "{x", contentType: merge },
  { title: "merge patch that is null", method: "PATCH", path: `${maps}/fv-live`, body: "null", contentType: merge },
  {
    title: "strategic patch with an unknown field",
    method: "PATCH",
    path: `${maps}/fv-live`,
    body: '{"dta":{"a":"b"}}',
    contentType: strategic,
  },
  {
    title: "strategic patch with a repeated field",
    method: "PATCH",
    path: `${maps}/fv-live`,
    body: '{"data":{"x":"1","x":"2"}}',
    contentType: strategic,
  },
  {
    title: "strategic patch that is a list",
    method: "PATCH",
    path: `${maps}/fv-live`,
    body: "[]",
    contentType: strategic,
  },
  {
    title: "strategic patch with an unknown directive",
    method: "PATCH",
    path: `${maps}/fv-live`,
    body: '{"data":{"$patch":"x"}}',
    contentType: strategic,
  },
  {
    title: "JSON patch with an unknown member",
    method: "PATCH",
    path: `${maps}/fv-live`,
    body: '[{"op":"add","path":"/data","value":{},"foo":1}]',
    contentType: json,
  },
  {
    title: "JSON patch with a repeated member",
    method: "PATCH",
    path: `${maps}/fv-live`,
    body: '[{"op":"add","path":"/data","path":"/data","value":{}}]',
    contentType: json,
  },
  {
    title: "JSON patch that adds an unknown field",
    method: "PATCH",
    path: `${maps}/fv-live`,
    body: '[{"op":"add","path":"/dta","value":{}}]',
    contentType: json,
  },
  { title: "JSON patch that is an object", method: "PATCH", path: `${maps}/fv-live`, body: "{}", contentType: json },
  {
    title: "JSON patch whose test fails",
    method: "PATCH",
    path: `${maps}/fv-live`,
    body: '[{"op":"test","path":"/data","value":1}]',
    contentType: json,
  },
  {
    title: "apply with an unknown field",
    method: "PATCH",
    path: `${maps}/fv?fieldManager=a`,
    body: map(',"dta":{}'),
    contentType: apply,
  },
  {
    title: "apply with a wrong type",
    method: "PATCH",
    path: `${maps}/fv?fieldManager=a`,
    body: map(',"data":{"a":1}'),
    contentType: apply,
  },
  {
    title: "apply in YAML with a repeated field",
    method: "PATCH",
    path: `${maps}/fv?fieldManager=a`,
    body: "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: fv\ndata:\n  a: x\n  a: y\n",
    contentType: apply,
  },
  { title: "apply that is a list", method: "PATCH", path: `${maps}/fv?fieldManager=a`, body: "[]", contentType: apply },
  {
    title: "apply of another kind",
    method: "PATCH",
    path: `${maps}/fv?fieldManager=a`,
    body: '{"apiVersion":"v1","kind":"Secret","metadata":{"name":"fv"}}',
    contentType: apply,
  },
  {
    title: "apply of another version",
    method: "PATCH",
    path: `${maps}/fv?fieldManager=a`,
    body: '{"apiVersion":"v2","kind":"ConfigMap","metadata":{"name":"fv"}}',
    contentType: apply,
  },
  {
    title: "apply without kind",
    method: "PATCH",
    path: `${maps}/fv?fieldManager=a`,
    body: '{"metadata":{"name":"fv"}}',
    contentType: apply,
  },
  { title: "apply without a manager", method: "PATCH", path: `${maps}/fv`, body: map(""), contentType: apply },
  {
    title: "apply of another name",
    method: "PATCH",
    path: `${maps}/other?fieldManager=a`,
    body: map(""),
    contentType: apply,
  },
  {
    title: "apply with managedFields",
    method: "PATCH",
    path: `${maps}/fv?fieldManager=a`,
    body: '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"fv","managedFields":[]}}',
    contentType: apply,
  },
  {
    title: "apply with a uid of nobody",
    method: "PATCH",
    path: `${maps}/fv?fieldManager=a`,
    body: '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"fv","uid":"x"}}',
    contentType: apply,
  },
  { title: "force without apply", method: "PATCH", path: `${maps}/fv-live?force=true`, body: "{}", contentType: merge },
  {
    title: "custom: create with unknown fields",
    method: "POST",
    path: widgets,
    body: widget("fv", ',"x":1,"spec":{"foo":1,"ports":[{"port":1,"bar":2}]}'),
  },
  {
    title: "custom: create with a repeated field",
    method: "POST",
    path: widgets,
    body: widget("fv", ',"spec":{"size":1,"size":2}'),
  },
  {
    title: "custom: create with an unknown field in metadata",
    method: "POST",
    path: widgets,
    body: '{"apiVersion":"apply.example.com/v1","kind":"Widget","metadata":{"name":"fv","foo":1}}',
  },
  {
    title: "custom: create with a wrong type",
    method: "POST",
    path: widgets,
    body: widget("fv", ',"spec":{"size":"x"}'),
  },
  {
    title: "custom: create with nulls",
    method: "POST",
    path: widgets,
    body: widget("fv", ',"spec":{"size":null,"struct":null,"ports":[{"port":1,"protocol":null}]}'),
  },
  {
    title: "custom: create in YAML with an unknown field",
    method: "POST",
    path: widgets,
    body: "apiVersion: apply.example.com/v1\nkind: Widget\nmetadata:\n  name: fv\nspec:\n  foo: 1\n",
    contentType: "application/yaml",
  },
  {
    title: "custom: update with unknown and repeated fields",
    method: "PUT",
    path: `${widgets}/fv-live`,
    body: '{"apiVersion":"apply.example.com/v1","kind":"Widget","metadata":{"name":"fv-live","resourceVersion":"0"},"spec":{"foo":1,"size":1,"size":2}}',
  },
  {
    title: "custom: merge patch with an unknown field",
    method: "PATCH",
    path: `${widgets}/fv-live`,
    body: '{"spec":{"foo":1}}',
    contentType: merge,
  },
  {
    title: "custom: merge patch with a repeated field",
    method: "PATCH",
    path: `${widgets}/fv-live`,
    body: '{"spec":{"size":1,"size":2}}',
    contentType: merge,
  },
  {
    title: "custom: merge patch with a wrong type",
    method: "PATCH",
    path: `${widgets}/fv-live`,
    body: '{"spec":{"size":"x"}}',
    contentType: merge,
  },
  {
    title: "custom: JSON patch that adds an unknown field",
    method: "PATCH",
    path: `${widgets}/fv-live`,
    body: '[{"op":"add","path":"/spec/foo","value":1}]',
    contentType: json,
  },
  { title: "custom: strategic patch", method: "PATCH", path: `${widgets}/fv-live`, body: "{}", contentType: strategic },
  {
    title: "custom: apply with an unknown field",
    method: "PATCH",
    path: `${widgets}/fv?fieldManager=a`,
    body: widget("fv", ',"spec":{"foo":1}'),
    contentType: apply,
  },
  {
    title: "custom: apply with an unknown field in metadata",
    method: "PATCH",
    path: `${widgets}/fv?fieldManager=a`,
    body: '{"apiVersion":"apply.example.com/v1","kind":"Widget","metadata":{"name":"fv","foo":1}}',
    contentType: apply,
  },
  {
    title: "custom: apply with a wrong type",
    method: "PATCH",
    path: `${widgets}/fv?fieldManager=a`,
    body: widget("fv", ',"spec":{"tags":"x"}'),
    contentType: apply,
  },
  {
    title: "custom: apply with items that lack their key",
    method: "PATCH",
    path: `${widgets}/fv?fieldManager=a`,
    body: widget("fv", ',"spec":{"ports":[{"name":"x"}]}'),
    contentType: apply,
  },
  {
    title: "custom: apply with an item twice",
    method: "PATCH",
    path: `${widgets}/fv?fieldManager=a`,
    body: widget("fv", ',"spec":{"tags":["x","x"]}'),
    contentType: apply,
  },
  {
    title: "custom: apply with a null",
    method: "PATCH",
    path: `${widgets}/fv?fieldManager=a`,
    body: widget("fv", ',"spec":{"size":null}'),
    contentType: apply,
  },
];

describe.skipIf(!hasRealCluster())(
  "field validation, beside a real kube-apiserver (skipped where KUBEBUILDER_ASSETS is not set)",
  () => {
    let both: BothServers;
    beforeAll(async () => {
      both = await bothServers();
      for (const request of [both.real, both.embedded]) {
        await request("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", widgetDefinition);
        await untilServed(request, widgets);
        await request("POST", widgets, widget("fv-live", ',"spec":{"size":1}'));
        await request("POST", maps, '{"metadata":{"name":"fv-live"},"data":{"a":"b"}}');
      }
    });
    afterAll(() => both?.[Symbol.asyncDispose]());

    for (const strictness of ["Strict", "Warn", "Ignore"]) {
      test.each(cases)(`${strictness}: $title`, async ({ method, path, body, contentType }) => {
        const query = `${path.includes("?") ? "&" : "?"}dryRun=All&fieldValidation=${strictness}`;
        const options = contentType === undefined ? {} : { contentType };
        const [theirs, ours] = await Promise.all([
          both.real(method, path + query, body, options),
          both.embedded(method, path + query, body, options),
        ]);
        expect(seen(ours)).toEqual(seen(theirs));
      });
    }
  },
);

/** A refused patch quotes the whole object, of which only the beginning is the same everywhere. */
function seen({ status, warnings, body }: ApiAnswer): unknown {
  if (status < 300) return { status, warnings, data: body.data, rules: body.rules, spec: body.spec };
  const message = (body.message as string).replace(/Invalid value: "\{.*\}": /s, "Invalid value: … ");
  return {
    status,
    warnings,
    message,
    reason: body.reason,
    causes: body.details?.causes?.map((cause: { reason?: string; field?: string }) => [cause.reason, cause.field]),
  };
}
