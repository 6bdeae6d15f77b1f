import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { ParseError, parseFieldSelector, parseLabelSelector, parseQuantity, parseTime } from "../../src/api/index.js";
import { hasRealCluster, realCluster } from "../../src/testing/shared-envtest.js";
import { apiRequester } from "./api-request.js";

const suffixes = ["n", "u", "m", "", "k", "M", "G", "T", "P", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei", "e3", "e-3", "E6"];
const quantity = fc
  .tuple(
    fc.constantFrom("", "+", "0", "00"),
    fc.bigInt({ min: 0n, max: 10n ** 15n }),
    fc.constantFrom("", ".", ".5", ".500", ".125", ".0000000001"),
    fc.constantFrom(...suffixes),
  )
  .map(([sign, whole, fraction, suffix]) => `${sign}${whole}${fraction}${suffix}`)
  // from 1000E on the real server forgets the suffix
  .filter((text) => parseQuantity(text).value() < 10n ** 21n);

const word = fc.constantFrom("a", "b", "in", "x.io/y", "constructor");
const value = fc.constantFrom("", "1", "3", "foo", "in");
const term = fc.oneof(
  word,
  word.map((key) => `!${key}`),
  fc.tuple(word, fc.constantFrom("=", "==", "!=", ">", "<"), value).map((parts) => parts.join("")),
  fc
    .tuple(word, fc.constantFrom("in", "notin"), fc.array(value, { minLength: 1, maxLength: 3 }))
    .map(([key, operator, values]) => `${key} ${operator} (${values.join(",")})`),
);
const junk = fc.string({ unit: fc.constantFrom("a", "b", " in ", " ", ",", "=", "!", "(", ")", ">", "-", "é") });

describe.skipIf(!hasRealCluster())("as the real server (skipped where KUBEBUILDER_ASSETS is not set)", () => {
  const namespace = "values-conformance";
  const maps = `/api/v1/namespaces/${namespace}/configmaps`;
  let labelled: readonly { readonly name: string; readonly labels: Readonly<Record<string, string>> }[] = [];

  beforeAll(async () => {
    using send = apiRequester(await realCluster());
    await send("POST", "/api/v1/namespaces", { metadata: { name: namespace } });
    labelled = fc
      .sample(fc.dictionary(word, value), { numRuns: 24, seed: 7 })
      .map((labels, index) => ({ name: `map-${index}`, labels: { ...labels } }));
    for (const { name, labels } of labelled) await send("POST", maps, { metadata: { name, labels } });
  });

  test("quantities are printed in the same canonical form", async () => {
    using send = apiRequester(await realCluster());
    const texts = fc.sample(quantity, { numRuns: 400 });
    const limits = texts.map((text, index) => ({ type: `example.com/t${index}`, max: { cpu: text } }));
    const { status, body } = await send("POST", `/api/v1/namespaces/${namespace}/limitranges?dryRun=All`, {
      metadata: { name: "q" },
      spec: { limits },
    });
    expect([status, body.message]).toEqual([201, undefined]);
    const theirs = texts.map((text, index) => `${text} → ${body.spec.limits[index].max.cpu}`);
    // resource lists are rounded up to thousandths, and the server parses its own output once more
    expect(texts.map((text) => `${text} → ${parseQuantity(String(parseQuantity(text).roundUp(-3)))}`)).toEqual(theirs);
  });

  test("quantities that are refused are refused in the same words", async () => {
    using send = apiRequester(await realCluster());
    for (const text of ["", "1x", "1.2.3", "1i", "Ei", "1 Gi", "0x1", "e"]) {
      const { status, body } = await send("POST", `/api/v1/namespaces/${namespace}/resourcequotas?dryRun=All`, {
        metadata: { name: "q" },
        spec: { hard: { cpu: text } },
      });
      expect(status).toBe(400);
      expect(body.message).toContain(reasonOf(() => parseQuantity(text)));
    }
  });

  test("label selectors pick the same objects and are refused in the same words", async () => {
    using send = apiRequester(await realCluster());
    const texts = fc.sample(
      fc.oneof(
        { weight: 3, arbitrary: fc.array(term, { minLength: 1, maxLength: 3 }).map((terms) => terms.join(",")) },
        { weight: 1, arbitrary: junk },
      ),
      { numRuns: 150 },
    );
    for (const text of texts) {
      const { status, body } = await send("GET", `${maps}?labelSelector=${encodeURIComponent(text)}`);
      const ours = outcomeOf(() => {
        const selector = parseLabelSelector(text);
        return labelled.filter(({ labels }) => selector.matches(labels)).map(({ name }) => name);
      });
      const theirs =
        status === 200
          ? body.items
              .map((item: { metadata: { name: string } }) => item.metadata.name)
              .filter((name: string) => name.startsWith("map-"))
          : body.message;
      expect({ text, outcome: typeof ours === "string" ? ours : [...ours].sort() }).toEqual({
        text,
        outcome:
          typeof theirs === "string" ? theirs.replace(/^unable to parse.*labelSelector.*?: /, "") : theirs.sort(),
      });
    }
  });

  test("field selectors pick the same objects and are refused in the same words", async () => {
    using send = apiRequester(await realCluster());
    for (const text of [
      "metadata.name=map-1",
      "metadata.name!=map-1",
      "metadata.name==map-1,metadata.namespace=values-conformance",
      "metadata.name=",
      "metadata.name=a\\,b",
      "=",
      "metadata.name",
      "metadata.name=\\x",
      "metadata.name=a=b",
      "metadata.name=a\\",
    ]) {
      const { status, body } = await send("GET", `${maps}?fieldSelector=${encodeURIComponent(text)}`);
      const ours = outcomeOf(() => {
        const selector = parseFieldSelector(text);
        return labelled
          .map(({ name }) => name)
          .filter((name) => selector.matches({ "metadata.name": name, "metadata.namespace": namespace }));
      });
      const theirs =
        status === 200
          ? body.items
              .map((item: { metadata: { name: string } }) => item.metadata.name)
              .filter((name: string) => name.startsWith("map-"))
          : body.message;
      expect({ text, outcome: typeof ours === "string" ? ours : [...ours].sort() }).toEqual({
        text,
        outcome: typeof theirs === "string" ? theirs : theirs.sort(),
      });
    }
  });

  test("times that are refused are refused in the same words", async () => {
    using send = apiRequester(await realCluster());
    for (const text of ["", "yesterday", "2024-13-01T00:00:00Z", "2023-02-29T00:00:00Z", "2024-01-01T00:00:00Zx"]) {
      const { status, body } = await send("POST", `${maps}?dryRun=All`, {
        metadata: { name: "t", creationTimestamp: text },
      });
      expect([status, String(body.message).includes(reasonOf(() => parseTime(text)))]).toEqual([400, true]);
    }
  });
});

function reasonOf(parse: () => unknown): string {
  const outcome = outcomeOf(parse);
  if (typeof outcome !== "string") throw new Error("was not refused");
  return outcome;
}

/** The result, or the message of the refusal. */
function outcomeOf<T>(parse: () => T): T | string {
  try {
    return parse();
  } catch (error) {
    if (error instanceof ParseError) return error.reason;
    throw error;
  }
}
