/** The metrics of authentication and authorization grow by the same series as a real server's. */
import { expect, test } from "vitest";
import { envtestAssets } from "../../../src/testing/envtest.js";
import { patienceMs } from "../../eventually.js";
import { type BothServers, type SentRequest, startBoth } from "./both-servers.js";

const maps = "/api/v1/namespaces/default/configmaps";

/** The servers' own requests are allowed and succeed, so these series grow by the test's requests alone. */
const series = [
  'authentication_attempts{result="error"}',
  'authentication_duration_seconds_count{result="error"}',
  'authorization_attempts_total{result="no-opinion"}',
  'authorization_attempts_total{result="denied"}',
  'authorization_duration_seconds_count{result="no-opinion"}',
];
/** These grow by the servers' own requests, too. */
const shared = [
  'authentication_attempts{result="success"}',
  'authentication_duration_seconds_count{result="success"}',
  'authenticated_user_requests{username="admin"}',
  'authenticated_user_requests{username="other"}',
  'authorization_attempts_total{result="allowed"}',
  'authorization_duration_seconds_count{result="allowed"}',
];

async function valuesOf(send: BothServers["sendReal"]): Promise<ReadonlyMap<string, number>> {
  const { body } = await send({ path: "/metrics" });
  const lines = String(body).split("\n");
  const read = (name: string): number =>
    Number(lines.find((line) => line.startsWith(`${name} `))?.slice(name.length) ?? 0);
  return new Map([...series, ...shared].map((name) => [name, read(name)]));
}

test.skipIf(envtestAssets() === undefined)(
  "authentication and authorization are counted as by a real server (skipped where KUBEBUILDER_ASSETS is not set)",
  async () => {
    await using both = await startBoth({});
    const token = both.real.powerlessToken;
    const requests: readonly SentRequest[] = [
      { path: maps },
      { path: maps, token },
      { path: maps, token: "nonsense" },
      { path: maps, token: "" },
      { path: maps, headers: { "impersonate-user": "jane" } },
      { path: "/version", token: "" },
      { path: maps, token, headers: { "impersonate-user": "jane" } },
    ];
    const grown = async (send: BothServers["sendReal"]): Promise<ReadonlyMap<string, number>> => {
      const before = await valuesOf(send);
      for (const request of requests) await send(request);
      const after = await valuesOf(send);
      return new Map([...after].map(([name, value]) => [name, value - (before.get(name) ?? 0)]));
    };
    const [real, own] = [await grown(both.sendReal), await grown(both.sendOwn)];
    const of = (values: typeof own): object => Object.fromEntries(series.map((name) => [name, values.get(name)]));
    expect(of(own)).toEqual(of(real));
    for (const name of shared) {
      expect([name, own.get(name)]).toEqual([name, expect.any(Number)]);
      expect(own.get(name), name).toBeGreaterThan(0);
      expect(real.get(name), name).toBeGreaterThan(0);
    }
  },
  5 * patienceMs,
);
