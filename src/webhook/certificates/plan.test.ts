import { X509Certificate } from "node:crypto";
import { expect, test } from "vitest";
import { Secret } from "../../api/index.js";
import { FakeClock } from "../../base/index.js";
import { startCluster } from "../../testing/cluster.js";
import { bundleOf, type Certificates, defaultLives, planned } from "./plan.js";
import { certificatesIn } from "./secret.js";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const hosts = ["hooks.default.svc", "hooks.default.svc.cluster.local"];

/** Whether a server that has the bundle accepts the certificate at that time. */
function isTrusted({ certificate }: { readonly certificate: string }, bundle: string, now: number): boolean {
  const serving = new X509Certificate(certificate);
  const isValid = (one: X509Certificate): boolean => Date.parse(one.validFrom) <= now && now < Date.parse(one.validTo);
  const authorities = (bundle.match(/-----BEGIN[^-]+-----[^-]+-----END[^-]+-----/g) ?? []).map(
    (text) => new X509Certificate(text),
  );
  return isValid(serving) && authorities.some((one) => isValid(one) && serving.verify(one.publicKey));
}

test("in a year, what any replica serves is trusted by what was published a day before, and by what is to be", () => {
  const start = Date.UTC(2030, 0, 1);
  let present: Certificates | undefined;
  const served: { readonly certificate: string }[] = [];
  const published: string[] = [];
  let issued = 0;
  let authorities = 0;
  for (let hour = 0; hour < 365 * 24; hour += 24) {
    const now = start + hour * hourMs;
    const next = planned(present, { hosts, now, lives: defaultLives });
    if (next.serving !== present?.serving) issued++;
    if (next.authorities.at(-1) !== present?.authorities.at(-1)) authorities++;
    present = next;
    served.push(next.serving);
    published.push(bundleOf(next));
    // servers and replicas that lag behind by a day
    for (const [certificate, bundle] of [
      [served.at(-1), published.at(-2)],
      [served.at(-2), published.at(-1)],
    ] as const) {
      if (certificate === undefined || bundle === undefined) continue;
      expect(isTrusted(certificate, bundle, now), `hour ${hour}`).toBe(true);
    }
    expect(next.authorities.length).toBeLessThanOrEqual(2);
  }
  expect([issued, authorities]).toEqual([7, 2]);
});

test("a certificate for other hosts is made anew, by the same authority", () => {
  const now = Date.UTC(2030, 0, 1);
  const first = planned(undefined, { hosts, now, lives: defaultLives });
  expect(planned(first, { hosts, now, lives: defaultLives })).toBe(first);
  const other = planned(first, { hosts: ["other.default.svc"], now, lives: defaultLives });
  expect(other.authorities).toEqual(first.authorities);
  expect(new X509Certificate(other.serving.certificate).checkHost("other.default.svc")).toBe("other.default.svc");
});

test("replicas that begin at once share one Secret, and a Secret of another form is replaced", async () => {
  const clock = new FakeClock({ startMs: Date.UTC(2030, 0, 1) });
  await using cluster = await startCluster({ clock });
  const { signal } = new AbortController();
  const name = { name: "hooks", namespace: "default" };
  const plan = (): Parameters<typeof planned>[1] => ({ hosts, now: clock.now(), lives: defaultLives });
  const get = (): Promise<Certificates> => certificatesIn(cluster.client, name, { plan, signal });
  const found = await Promise.all([get(), get(), get(), get()]);
  expect(new Set(found.map(({ serving }) => serving.certificate)).size).toBe(1);
  await clock.advance(80 * dayMs);
  const renewed = await Promise.all([get(), get()]);
  expect(new Set(renewed.map(({ serving }) => serving.key)).size).toBe(1);
  expect(renewed[0]?.serving.key).not.toBe(found[0]?.serving.key);
  const secrets = cluster.client.resource(Secret);
  const stored = await secrets.get(name);
  await secrets.update({ ...stored, data: { ...stored.data, "ca.key": "" } });
  expect((await get()).serving.key).not.toBe(renewed[0]?.serving.key);
});
