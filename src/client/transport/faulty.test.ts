import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isConflict } from "../../api/errors/status-guards.js";
import { FakeClock, seededRandom, type Transport } from "../../base/index.js";
import { Client } from "../client.js";
import { isConnectionFailure } from "../failure.js";
import { faultyTransport, seededFaults } from "./faulty.js";
import { json, settle, map, maps } from "../../../test/client/scripted.js";

describe("planned faults", () => {
  test("are the same for the same seed, and readers that repeat see the truth through them", async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer(), async (seed) => {
        const run = async (): Promise<readonly string[]> => {
          const clock = new FakeClock();
          const faults: string[] = [];
          const inner: Transport = async () => json({ body: map });
          const transport = faultyTransport(inner, {
            plan: seededFaults({
              random: seededRandom(seed),
              rate: 0.3,
              kinds: ["refuse", "drop", "lose-answer", "delay", "duplicate", "reset"],
            }),
            clock,
            onFault: ({ type }, _, index) => faults.push(`${index} ${type}`),
          });
          const retry = { whenDisconnected: 50 };
          const client = new Client({ transport, clock, random: seededRandom(seed), retry });
          for (let i = 0; i < 5; i++) expect(await settle(clock, maps(client).get("a"))).toEqual(map);
          return faults;
        };
        expect(await run()).toEqual(await run());
      }),
      { numRuns: 20 },
    );
  });

  test("can answer, cut and repeat by name", async () => {
    let calls = 0;
    const inner: Transport = async () => {
      calls++;
      return json({ body: map });
    };
    const with_ = (fault: Parameters<typeof faultyTransport>[1]["plan"]): Client =>
      new Client({ transport: faultyTransport(inner, { plan: fault }), retry: { whenDisconnected: 0, whenAsked: 0 } });
    expect(
      isConflict(
        await maps(with_(() => ({ type: "answer", code: 409 })))
          .get("a")
          .catch((error: unknown) => error),
      ),
    ).toBe(true);
    expect(calls).toBe(0);
    await maps(with_(() => ({ type: "duplicate" }))).get("a");
    expect(calls).toBe(2);
    const cut = await maps(with_(() => ({ type: "truncate", afterBytes: 10 })))
      .get("a")
      .catch((error: unknown) => error);
    expect(isConnectionFailure(cut, "malformed")).toBe(true);
  });
});
