import { expect, test } from "vitest";
import { withVersions } from "../../api/index.js";
import { fooKinds } from "../../../test/webhook/foo.js";
import { checkRoundTrip } from "./check-round-trip.js";

const { Foo, FooV1, FooV1alpha1 } = fooKinds("hooks.example.com");

test("a conversion that loses something is found, with the seed, the field and the objects", () => {
  const Lossy = withVersions(FooV1, {
    type: FooV1alpha1,
    toHub: ({ spec: { size } }) => ({ spec: { replicas: Number(size) } }),
    fromHub: ({ spec: { replicas } }) => ({ spec: { size: String(replicas) } }),
  });
  const check = (seed?: number) => () => checkRoundTrip(Lossy, seed === undefined ? {} : { seed });
  expect(check(7)).toThrow(/^checkRoundTrip Foo \(seed 7\): hooks.example.com\/v1 → hooks.example.com\/v1alpha1 → /);
  expect(check(7)).toThrow(/changes spec\.\w+\n {2}object: \{.*\n {2}there: \{.*\n {2}back: \{/);
  expect(check()).toThrow("checkRoundTrip Foo (seed ");
});

test("a conversion of texts that look alike is found too", () => {
  // "007" and "7" are one number, and a list of one empty text is no text
  expect(() => checkRoundTrip(Foo, { seed: 1 })).toThrow("changes spec.");
});

test("a conversion that keeps everything passes", () => {
  const key = "example.com/v1alpha1";
  const Kept = withVersions(FooV1, {
    type: FooV1alpha1,
    toHub: ({ metadata, spec }) => {
      const { [key]: hub, ...annotations } = metadata.annotations ?? {};
      if (hub !== undefined)
        return { metadata: { ...labelsOf(metadata), ...said(annotations) }, spec: JSON.parse(hub) };
      return {
        metadata: { ...labelsOf(metadata), annotations: { ...annotations, [key]: JSON.stringify(spec) } },
        spec: { replicas: 0 },
      };
    },
    fromHub: ({ metadata, spec }) => {
      const { [key]: old, ...annotations } = metadata.annotations ?? {};
      if (old !== undefined)
        return { metadata: { ...labelsOf(metadata), ...said(annotations) }, spec: JSON.parse(old) };
      return {
        metadata: { ...labelsOf(metadata), annotations: { ...annotations, [key]: JSON.stringify(spec) } },
        spec: { size: "0" },
      };
    },
  });
  checkRoundTrip(Kept, { seed: 1 });
});

const labelsOf = ({ labels }: { readonly labels?: Readonly<Record<string, string>> }) =>
  labels === undefined ? {} : { labels };
const said = (annotations: Readonly<Record<string, string>>) =>
  Object.keys(annotations).length === 0 ? {} : { annotations };

test("a kind of one version is a mistake of the caller", () => {
  expect(() => checkRoundTrip(FooV1)).toThrow(
    "checkRoundTrip Foo: it has one version; withVersions makes a kind of several",
  );
  expect(() => checkRoundTrip(Foo, { runs: 1 } as never)).toThrow("there is no option runs");
});
