import { beforeAll, describe, expect, test } from "vitest";
import { builtInTypeOf } from "../../src/api/schema/index.js";
import { seededRandom } from "../../src/base/index.js";
import { allCases } from "../conformance/kinds/cases/all-cases.js";
import { extraKinds } from "../conformance/kinds/generated/kinds.js";
import type { Cases } from "../conformance/kinds/differential.js";
import { type Counted, countedModule } from "./counted.js";
import { superlinear } from "./growth.js";
import { type LongField, longFieldsOf } from "./long-fields.js";
import type * as Server from "./server.js";

/** With COXSWAIN_FULL every list and map of every kind, else a few. */
const full = process.env["COXSWAIN_FULL"] === "1";
const perKind = full ? Infinity : 2;

/** Beyond the numbers of items at which kinds refuse a list as too long. */
const n = 500;

let counted: Counted<typeof Server>;

beforeAll(async () => {
  counted = await countedModule<typeof Server>("test/stalls/server.ts");
}, 120_000);

const kinds = [...allCases.filter(({ name }) => name === undefined), ...extraKinds];

/** Each place once, at the first kind that has it. */
function* placesOf(all: readonly Cases[]): Generator<readonly [Cases, readonly LongField[]]> {
  const seen = new Set<string>();
  for (const one of all) {
    const type = builtInTypeOf(one.apiVersion, one.kind);
    if (type === undefined) continue;
    const metadata = { name: "stall", ...(one.base["metadata"] as object | undefined) };
    const base = { ...one.base, apiVersion: one.apiVersion, kind: one.kind, metadata };
    const fresh = [...longFieldsOf(type, base)].filter(({ place }) => !seen.has(place));
    for (const { place } of fresh) seen.add(place);
    const random = seededRandom(one.kind);
    const chosen = fresh.filter(() => perKind === Infinity || random.int(fresh.length) < perKind);
    if (chosen.length > 0) yield [one, chosen];
  }
}

describe("each list and map of each kind: twice the items are twice the work", () => {
  test.each([...placesOf(kinds)].map(([cases, fields]) => ({ kind: cases.kind, cases, fields })))(
    "$kind",
    async ({ cases, fields }) => {
      const { startTestServer, FakeClock, seededRandom: random } = counted.module;
      const authorization = "AlwaysAllow";
      await using server = await startTestServer({ clock: new FakeClock(), random: random(1), authorization });
      const transport = server.transport();
      const { apiVersion, plural, clusterWide = false } = cases;
      const root = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
      const collection = `${root}${clusterWide ? "" : "/namespaces/default"}/${plural}`;
      // nothing is stored, so that no work of the server's controllers is counted
      const request = { method: "POST", path: `${collection}?dryRun=All` };
      const headers = { "content-type": "application/json", accept: "application/json" };
      const send = async (object: object): Promise<number> => {
        const body = Buffer.from(JSON.stringify(object));
        const answer = await transport({ ...request, headers, body }, new AbortController().signal);
        if (!(answer.body instanceof Uint8Array)) for await (const _ of answer.body);
        return answer.status;
      };
      const complaints: Record<string, string> = {};
      for (const { place, filled } of fields) {
        const steps: number[] = [];
        for (const size of [n, 2 * n, 4 * n]) {
          let status = 0;
          const object = filled(size);
          steps.push(await counted.steps(async () => void (status = await send(object))));
          if (status >= 500) complaints[`${place}: ${size}`] = `answered ${status}`;
        }
        const complaint = superlinear(n, steps as [number, number, number]);
        if (complaint !== undefined) complaints[place] = complaint;
      }
      expect(complaints).toEqual({});
    },
    300_000,
  );
});
