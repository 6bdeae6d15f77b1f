/** The life of service account tokens, beside a real kube-apiserver: their claims, their audiences, and their end. */
import { expect, test } from "vitest";
import { startTestServer } from "../../src/testing/cluster.js";
import { hasRealCluster, realCluster } from "../../src/testing/shared-envtest.js";
import { patienceMs } from "../eventually.js";
import { normalized, ourSender, realSender, type Send } from "./differential/exchange.js";

const name = "tokens-of-both";
const core = `/api/v1/namespaces/${name}`;

type Json = Readonly<Record<string, never>>;

const sent = async (send: Send, method: string, path: string, body?: unknown): Promise<Json> =>
  (await send({ name: "", method, path, ...(body === undefined ? {} : { body }) })).body as Json;

const pod = (podName: string, spec: object = {}): object => ({
  metadata: { name: podName },
  spec: { serviceAccountName: "a", containers: [{ name: "c", image: "i" }], ...spec },
});

const made: readonly (readonly [string, object])[] = [
  ["/api/v1/namespaces", { metadata: { name } }],
  ["/api/v1/nodes", { metadata: { name } }],
  [`${core}/serviceaccounts`, { metadata: { name: "a" } }],
  [`${core}/serviceaccounts`, { metadata: { name: "gone" } }],
  [`${core}/serviceaccounts`, { metadata: { name: "held", finalizers: ["example.com/hold"] } }],
  [`${core}/secrets`, { metadata: { name: "s" } }],
  [`${core}/pods`, pod("p")],
  [`${core}/pods`, pod("placed", { nodeName: name })],
  [`${core}/pods`, pod("lost", { nodeName: `${name}-none` })],
];

const to = (kind: string, boundName: string): object => ({
  boundObjectRef: { kind, apiVersion: "v1", name: boundName },
});

/** By a name for the case: the account, and the request's spec. */
const asked: Readonly<Record<string, readonly [string, object]>> = {
  plain: ["a", {}],
  audiences: ["a", { audiences: ["x", "y"] }],
  long: ["a", { expirationSeconds: 2 ** 32 }],
  pod: ["a", to("Pod", "p")],
  placed: ["a", to("Pod", "placed")],
  lost: ["a", to("Pod", "lost")],
  volume: ["a", { ...to("Pod", "p"), expirationSeconds: 3607 }],
  secret: ["a", to("Secret", "s")],
  node: ["a", to("Node", name)],
  gone: ["gone", {}],
  held: ["held", {}],
};

/** With times from the token's beginning. */
function claimsOf(token: string): unknown {
  const claims = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString()) as {
    readonly [claim: string]: number;
    readonly "kubernetes.io": never;
  };
  const { iat = 0, exp = 0, nbf = 0, "kubernetes.io": private_, ...rest } = claims;
  const { warnafter = iat, ...about } = private_ as { readonly warnafter?: number };
  return { ...rest, exp: exp - iat, nbf: nbf - iat, about, warnafter: warnafter - iat };
}

test.skipIf(!hasRealCluster())(
  "tokens live and end as they do on a real server",
  { timeout: 5 * patienceMs },
  async () => {
    using real = realSender(await realCluster());
    await using server = await startTestServer({ disabledAdmission: ["ServiceAccount"] });
    const sides = [real, ourSender(server)] as const;
    const both = <T>(of: (send: Send, side: number) => Promise<T>): Promise<T[]> =>
      Promise.all(sides.map((send, side) => of(send, side)));
    /** A real server caches successful authentications for some seconds. */
    const alike = (of: (send: Send, side: number) => Promise<unknown>, what: string): Promise<void> =>
      expect
        .poll(
          async () => {
            const [theirs, ours] = await both(of);
            return {
              what,
              theirs: normalized(theirs),
              same: JSON.stringify(normalized(theirs)) === JSON.stringify(normalized(ours)),
            };
          },
          { timeout: patienceMs },
        )
        .toMatchObject({ same: true });

    await both(async (send) => {
      for (const [path, object] of made) await sent(send, "POST", path, object);
    });
    const tokens: Record<string, string>[] = [{}, {}];
    for (const [what, [account, spec]] of Object.entries(asked)) {
      await expect
        .poll(
          () =>
            both(async (send, side) => {
              const { status } = await sent(send, "POST", `${core}/serviceaccounts/${account}/token`, { spec });
              const { token } = (status ?? {}) as { readonly token?: string };
              (tokens[side] as Record<string, string>)[what] = token ?? "";
              return token !== undefined;
            }),
          { timeout: patienceMs },
        )
        .toEqual([true, true]);
    }
    const [theirs = {}, ours = {}] = tokens;
    const claims = (of: Record<string, string>): unknown =>
      Object.entries(of).map(([what, token]) => [what, normalized(claimsOf(token))]);
    expect(claims(ours)).toEqual(claims(theirs));

    const review =
      (what: string, audiences: readonly string[] = []) =>
      async (send: Send, side: number) => {
        const spec = { token: tokens[side]?.[what] ?? "", audiences };
        return (await sent(send, "POST", "/apis/authentication.k8s.io/v1/tokenreviews", { spec })).status;
      };
    const reviewed = async (): Promise<void> => {
      for (const what of Object.keys(asked)) await alike(review(what), what);
    };
    await reviewed();
    for (const audiences of [["x"], ["y", "z"], ["z"], ["https://kubernetes.default.svc.cluster.local"]]) {
      for (const what of ["plain", "audiences"]) await alike(review(what, audiences), `${what} for ${audiences}`);
    }
    const ended = made.slice(1).filter(([, object]) => !JSON.stringify(object).includes('"placed"'));
    await both(async (send) => {
      for (const [path, object] of ended) {
        const { metadata } = object as { readonly metadata: { readonly name: string } };
        if (metadata.name !== "a") await sent(send, "DELETE", `${path}/${metadata.name}?gracePeriodSeconds=0`);
      }
    });
    await reviewed();
    await both(async (send) => {
      for (const [path, object] of ended) await sent(send, "POST", path, object);
    });
    await reviewed();
    await both((send) => sent(send, "DELETE", `/api/v1/nodes/${name}`));
  },
);
