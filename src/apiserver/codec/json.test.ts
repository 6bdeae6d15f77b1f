import { inOneGo } from "../../base/index.js";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { askReal } from "../../../test/real-answer.js";
import { type GroupVersionKind, StatusError } from "../../api/index.js";
import { hasRealCluster } from "../../testing/shared-envtest.js";
import { jsonCodec, yamlCodec } from "./index.js";

const pod: GroupVersionKind = { group: "", version: "v1", kind: "Pod" };
const foo: GroupVersionKind = { group: "example.com", version: "v1", kind: "Foo" };

function decode(text: string, expected: GroupVersionKind | undefined = pod) {
  return inOneGo(jsonCodec.decode(Buffer.from(text), expected));
}

/** The message that a strict client gets. */
function refusal(text: string, expected: GroupVersionKind): string {
  try {
    const { problems } = decode(text, expected);
    const { kind, version } = expected;
    if (problems.length === 0) return "";
    return `${kind} in version "${version}" cannot be handled as a ${kind}: strict decoding error: ${problems.join(", ")}`;
  } catch (error) {
    if (error instanceof StatusError && error.code === 400) return error.message;
    throw error;
  }
}

test("unknown and duplicate fields are dropped and reported in the order of the text", () => {
  const { object, problems } = decode(
    '{"zz":1,"metadata":{"name":"a","foo":1,"labels":{"a":"b","a":"c"}},"spec":{"bar":1,"containers":[{"name":"c","baz":[{}],"name":"d"}],"bar":2}}',
  );
  expect(problems).toEqual([
    'unknown field "zz"',
    'unknown field "metadata.foo"',
    'duplicate field "metadata.labels.a"',
    'unknown field "spec.bar"',
    'unknown field "spec.containers[0].baz"',
    'duplicate field "spec.containers[0].name"',
  ]);
  expect(object).toEqual({
    kind: "Pod",
    apiVersion: "v1",
    metadata: { name: "a", labels: { a: "c" } },
    spec: { containers: [{ name: "d", resources: {} }] },
    status: {},
  });
});

test("an object of a custom kind keeps what its own schema may know", () => {
  const { object, problems } = decode(
    '{"kind":"Foo","apiVersion":"example.com/v1","metadata":{"name":"a","foo":1},"spec":{"any":{"x":1,"x":2}}}',
    foo,
  );
  expect(object).toEqual({
    kind: "Foo",
    apiVersion: "example.com/v1",
    metadata: { name: "a" },
    spec: { any: { x: 2 } },
  });
  expect(problems).toEqual(['duplicate field "spec.any.x"', 'unknown field "metadata.foo"']);
});

test("quantities, times and empty fields become canonical", () => {
  const text = `{"metadata":{"name":"a","creationTimestamp":null,"labels":{},"deletionTimestamp":"2026-01-01T01:00:00.5+01:00"},
    "spec":{"containers":[{"name":"c","image":"","resources":{"requests":{"cpu":"0.5","memory":"1024Mi"}}}],"hostNetwork":false}}`;
  expect(decode(text).object).toEqual({
    kind: "Pod",
    apiVersion: "v1",
    metadata: { name: "a", deletionTimestamp: "2026-01-01T00:00:00Z" },
    spec: { containers: [{ name: "c", resources: { requests: { cpu: "500m", memory: "1Gi" } } }] },
    status: {},
  });
});

test("keys that mean something to JavaScript are data", () => {
  const { object } = decode('{"metadata":{"name":"a","labels":{"__proto__":"x","constructor":"y"}}}');
  expect(JSON.stringify(object.metadata)).toContain('"labels":{"__proto__":"x","constructor":"y"}');
});

test("deep nesting is refused, not survived by luck", () => {
  expect(() => decode(`{"metadata":{"x":${"[".repeat(100_000)}${"]".repeat(100_000)}}}`)).toThrow("exceeded max depth");
});

test("any text gives an object or a 400", () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.json(),
        fc.jsonValue().map((value) => JSON.stringify({ spec: value })),
      ),
      (text) => {
        refusal(text, pod);
        refusal(text, foo);
      },
    ),
  );
});

test("the scanner refuses what JSON.parse refuses", () => {
  const valid = '{"a":[1,-2.5e3,true,null,"\\u00e9\\n"],"b":{}}';
  fc.assert(
    fc.property(fc.nat(valid.length - 1), fc.string({ maxLength: 2 }), (at, insert) => {
      const text = valid.slice(0, at) + insert + valid.slice(at + 1);
      let parses = true;
      try {
        JSON.parse(text);
      } catch {
        parses = false;
      }
      const message = refusal(text, foo);
      if (!parses) expect(message).toMatch(/json parse error: (invalid character|unexpected end)/);
    }),
  );
});

test("YAML is read as YAML 1.1 and then as JSON", () => {
  const text =
    "metadata:\n  name: a\n  labels: {since: 2026-01-01, octal: '0644'}\nspec:\n  hostNetwork: yes\n  foo: 1\n";
  const { object, problems } = inOneGo(yamlCodec.decode(Buffer.from(text), pod));
  expect(object).toMatchObject({
    metadata: { labels: { since: "2026-01-01", octal: "0644" } },
    spec: { hostNetwork: true },
  });
  expect(problems).toEqual(['unknown field "spec.foo"']);
  expect(() => inOneGo(yamlCodec.decode(Buffer.from("a: [}"), pod))).toThrow(StatusError);
});

const bodies: readonly string[] = [
  '{"kind":"Pod","apiVersion":"v1","zz":1,"metadata":{"name":"a","foo":1,"labels":{"a":"b","a":"c"}},"spec":{"bar":1,"containers":[{"name":"c","image":"i","baz":1,"name":"d"}],"bar":2},"zz":2}',
  '{"metadata":{"name":1}}',
  '{"metadata":{"name":"a"},"spec":{"containers":{}}}',
  '{"metadata":{"name":"a"},"spec":{"containers":[{"name":"c","ports":[{"containerPort":"80"}]}]}}',
  '{"metadata":{"name":"a"},"spec":{"containers":[{"name":"c","ports":[{"containerPort":1.5}]}]}}',
  '{"metadata":{"name":"a"},"spec":{"containers":[{"name":"c","ports":[{"containerPort":3000000000}]}]}}',
  '{"metadata":{"name":"a","labels":{"a":1}}}',
  '{"metadata":{"name":"a","creationTimestamp":"xx"}}',
  '{"metadata":{"name":"a","creationTimestamp":5}}',
  '{"metadata":{"name":"a"},"spec":{"containers":[{"name":"c","resources":{"requests":{"cpu":"xx"}}}]}}',
  '{"metadata":{"name":"a"},"spec":{"containers":[{"name":"c","resources":{"requests":{"cpu":true}}}]}}',
  '{"metadata":{"name":"a"},"spec":{"hostNetwork":"yes"}}',
  '{"metadata":{"name":"a"},"spec":{"volumes":[{"name":"v","emptyDir":5}]}}',
  '{"metadata":{"name":"a"},"spec":{"containers":[{"name":"c","livenessProbe":{"httpGet":{"port":true}}}]}}',
  '{"metadata":"x"}',
  '{"metadata":{"ownerReferences":[5]}}',
  '{"spec":{"securityContext":{"supplementalGroups":["x"]}}}',
  "[]",
  "5",
  '"x"',
  '{"kind":"Pod"',
  "xx",
  "",
  '{"a" 5}',
  '{"a":5 6}',
  '{"a":[1 2]}',
  '{"a":tru}',
  '{"a":"\\x"}',
  '{"a":-}',
  "{,}",
  '{"kind":"Foo","apiVersion":"v1"}',
  '{"kind":"Foo","apiVersion":"zz/v1"}',
  '{"kind":"Pod","apiVersion":1,"metadata":{"name":"a"}}',
  '{"metadata":{"name":"y"}} trailing',
];

describe.skipIf(!hasRealCluster())("against a real kube-apiserver (skipped without KUBEBUILDER_ASSETS)", () => {
  test.each(bodies)("%s is refused in the same words", async (body) => {
    const path = "/api/v1/namespaces/default/pods?fieldValidation=Strict&dryRun=All";
    const headers = { "content-type": "application/json" };
    const { bytes } = await askReal({ method: "POST", path, headers, body });
    expect(refusal(body, pod)).toBe((JSON.parse(bytes.toString()) as { message: string }).message);
  });
});
