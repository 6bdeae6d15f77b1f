import { expect, test } from "vitest";
import { isGenerated, isTest, sourceFiles } from "./source-files.js";

/**
 * Each of these allocates among the old objects at every evaluation, and keeps all that its context reaches until the next
 * full collection: a function that is assigned to a member, a generator function in a function, a getter in a literal.
 */
const shapes: readonly RegExp[] = [
  /^ +[\w.#!?[\]]+\.#?\w+ = (?:async )?(?:\([^()]*\)|\w+)(?:: [^=]+)? => ?/,
  /^ +[\w.#!?[\]]+\.#?\w+ = (?:async )?function\b/,
  /^(?!(?:export )?(?:async )?function\*).*\bfunction\*/,
  /^ {4,}(?:async )?\*(?:#?\w+|\[[\w.]+\])\(/,
  /^ {4,}[gs]et #?\w+\(/,
];

/** Constants, and values that are made once for an endpoint, a connection, a cluster, a program or a call that lasts. */
const rare = new Set([
  "src/api/schema/table.ts",
  "src/apiserver/apply/merge/types.ts",
  "src/apiserver/crd/custom-endpoint.ts",
  "src/apiserver/registry/built-in.ts",
  "src/apiserver/registry/kinds/core/cluster.ts",
  "src/apiserver/registry/kinds/pod/validation/projected.ts",
  "src/apiserver/registry/kinds/warnings/kind-warnings.ts",
  "src/cli/cluster-flags.ts",
  "src/cli/commands/up.ts",
  "src/client/remote/pod-client.ts",
  "src/client/remote/port-forward.ts",
  "src/manager/fleet/cluster-turns.ts",
  "src/testing/envtest.ts",
]);

const isShape = (line: string): boolean => !/^\s*(?:\*|\/\/)\s/.test(line) && shapes.some((shape) => shape.test(line));

test("code that runs often makes no object with a class of its own, and no function in a member", () => {
  const found = sourceFiles("src")
    .filter(({ path }) => !isTest(path) && !isGenerated(path))
    .flatMap(({ path, text }) =>
      text
        .split("\n")
        .flatMap((line, i) => (isShape(line) ? [{ path, line: `${path}:${i + 1}: ${line.trim()}` }] : [])),
    );
  expect(found.filter(({ path }) => !rare.has(path)).map(({ line }) => line)).toEqual([]);
  expect([...rare].filter((path) => !found.some((one) => one.path === path))).toEqual([]);
});

test.each([
  ["    this.#wake = () => {", true],
  ["    this.transport = (request, signal) => this.#send(request, signal);", true],
  ["  const work = function* (): Steps<void> {", true],
  ["    *decode(codec) {", true],
  ["    get bytes() {", true],
  ["  readonly transport = (request: HttpRequest) => this.#send(request);", false],
  ["export async function* linesOf(chunks: Chunks): AsyncGenerator<string> {", false],
  ["  async *batches(): AsyncGenerator<Batch> {", false],
  ["  get bytes(): number {", false],
  ["    this.#wake = resolve;", false],
])("%j is one of these: %s", (line, is) => {
  expect(isShape(line)).toBe(is);
});
