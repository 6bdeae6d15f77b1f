import { describe, expect, it } from "vitest";
import { MetricsRegistry } from "../../../base/index.js";
import type { Authorizer } from "../../contracts/authorizer.js";
import type { RequestInfo } from "../../contracts/request.js";
import type { UserInfo } from "../../contracts/user.js";
import type { Wanted } from "./headers.js";
import { Impersonation } from "./modes.js";

const request: RequestInfo = {
  type: "resource",
  verb: "list",
  group: "",
  version: "v1",
  namespace: "default",
  inNamespace: true,
  resource: "pods",
  name: "",
  subresource: "",
  rest: [],
};

const wanted = (username: string, more: Partial<Wanted> = {}): Wanted => ({
  username,
  uid: "",
  groups: [],
  extra: {},
  ...more,
});

const caller: UserInfo = { username: "caller", groups: [] };
const agent: UserInfo = {
  username: "system:serviceaccount:default:agent",
  groups: [],
  extra: { "authentication.kubernetes.io/node-name": ["n1"], "authentication.kubernetes.io/pod-name": ["p"] },
};

const shown = (asked: RequestInfo): string =>
  asked.type === "other" ? `${asked.verb} ${asked.path}` : `${asked.verb} ${asked.resource}/${asked.name}`;

/** Allows the questions that are named; keeps all of them. */
function allowing(...allowed: readonly string[]): { readonly authorizer: Authorizer; readonly asked: string[] } {
  const asked: string[] = [];
  return {
    asked,
    authorizer: (user, question) => {
      asked.push(`${shown(question)}${user.extra === undefined ? "" : ` ${JSON.stringify(user.extra)}`}`);
      return { allowed: allowed.includes(shown(question)) };
    },
  };
}

const trying = (authorizer: Authorizer): Impersonation => new Impersonation(authorizer, new MetricsRegistry());

describe("impersonation", () => {
  it("of the own node asks about all nodes, without the values that differ from pod to pod", () => {
    const { authorizer, asked } = allowing(
      "impersonate-on:associated-node:list pods/",
      "impersonate:associated-node nodes/*",
    );
    const result = trying(authorizer).permitted({ caller: agent, wanted: wanted("system:node:n1"), request });
    expect(result).toEqual({
      user: { username: "system:node:n1", groups: ["system:nodes", "system:authenticated"] },
      constraint: "impersonate:associated-node",
    });
    const keys =
      '{"authentication.kubernetes.io/associated-node-keys":["authentication.kubernetes.io/node-name","authentication.kubernetes.io/pod-name"]}';
    expect(asked).toEqual([
      `impersonate-on:associated-node:list pods/ ${keys}`,
      `impersonate:associated-node nodes/* ${keys}`,
    ]);
  });

  it("of another node is no matter of the own one", () => {
    const { authorizer, asked } = allowing(
      "impersonate-on:associated-node:list pods/",
      "impersonate:associated-node nodes/*",
    );
    const attempt = () => trying(authorizer).permitted({ caller: agent, wanted: wanted("system:node:n2"), request });
    expect(attempt).toThrow("cannot impersonate-on:arbitrary-node:list resource");
    expect(asked.some((question) => question.includes("associated-node"))).toBe(false);
  });

  it("by the old permission is tried first by a user who has used it, and gives the refusal", () => {
    const old = ["impersonate users/jane"];
    const impersonation = trying(allowing(...old).authorizer);
    expect(impersonation.permitted({ caller, wanted: wanted("jane"), request })).toMatchObject({
      constraint: undefined,
    });
    const again = () => impersonation.permitted({ caller, wanted: wanted("joe"), request });
    expect(again).toThrow('User "caller" cannot impersonate resource "users"');
    const other = () =>
      impersonation.permitted({ caller: { ...caller, username: "x" }, wanted: wanted("joe"), request });
    expect(other).toThrow("cannot impersonate-on:user-info:list resource");
  });

  it("of many groups is permitted by one permission for all of them", () => {
    const groups = ["a", "b", "c", "d"];
    const { authorizer, asked } = allowing(
      "impersonate-on:user-info:list pods/",
      "impersonate:user-info users/jane",
      "impersonate:user-info groups/*",
    );
    const result = trying(authorizer).permitted({ caller, wanted: wanted("jane", { groups }), request });
    expect(result).toMatchObject({ user: { groups: [...groups, "system:authenticated"] } });
    expect(asked).toHaveLength(3);
  });

  it("waits for an authorizer that has to ask elsewhere, and asks each question once", async () => {
    const { authorizer, asked } = allowing("impersonate users/jane", "impersonate groups/devs");
    const late: Authorizer = async (user, question) => authorizer(user, question);
    const result = trying(late).permitted({ caller, wanted: wanted("jane", { groups: ["devs"] }), request });
    expect(result).toBeInstanceOf(Promise);
    expect(await result).toMatchObject({ user: { username: "jane", groups: ["devs", "system:authenticated"] } });
    expect(asked).toEqual([...new Set(asked)]);
  });
});
