import { describe, expect, it } from "vitest";
import { asksToImpersonate, impersonation } from "./impersonate.js";

describe("impersonation", () => {
  it("is asked for by its headers alone", () => {
    expect(asksToImpersonate({ accept: "*/*" })).toBe(false);
    expect(asksToImpersonate({ accept: "*/*", "impersonate-uid": "1" })).toBe(true);
  });

  it("takes the user, the groups, the uid and what else is known, each with what allows it", () => {
    const { user, permissions } = impersonation({
      "impersonate-user": "jane",
      "impersonate-group": ["devs", "a,b"],
      "impersonate-uid": "u-1",
      "impersonate-extra-acme.com%2fproject": ["x", "y"],
    });
    expect(user).toEqual({
      username: "jane",
      groups: ["devs", "a,b", "system:authenticated"],
      uid: "u-1",
      extra: { "acme.com/project": ["x", "y"] },
    });
    expect(
      permissions.map(({ verb, group, resource, subresource, name }) => [verb, group, resource, subresource, name]),
    ).toEqual([
      ["impersonate", "", "users", "", "jane"],
      ["impersonate", "", "groups", "", "devs"],
      ["impersonate", "", "groups", "", "a,b"],
      ["impersonate", "authentication.k8s.io", "userextras", "acme.com/project", "x"],
      ["impersonate", "authentication.k8s.io", "userextras", "acme.com/project", "y"],
      ["impersonate", "authentication.k8s.io", "uids", "", "u-1"],
    ]);
  });

  it("knows the groups of service accounts, and of nobody", () => {
    const account = impersonation({ "impersonate-user": "system:serviceaccount:ns:robot" });
    expect(account.user.groups).toEqual([
      "system:serviceaccounts",
      "system:serviceaccounts:ns",
      "system:authenticated",
    ]);
    expect(account.permissions).toMatchObject([{ resource: "serviceaccounts", namespace: "ns", name: "robot" }]);
    expect(impersonation({ "impersonate-user": "system:anonymous" }).user.groups).toEqual(["system:unauthenticated"]);
  });

  it("is asked for by a user, a uid, groups or extras; an empty user and other headers ask for nothing", () => {
    const asking = [{ "impersonate-user": "a" }, { "impersonate-uid": "1" }, { "impersonate-group": "" }];
    for (const headers of [...asking, { "impersonate-extra-a": "" }]) expect(asksToImpersonate(headers)).toBe(true);
    for (const headers of [{}, { "impersonate-user": "" }, { "impersonate-uid": "" }, { "impersonate-x": "a" }])
      expect(asksToImpersonate(headers as Record<string, string>)).toBe(false);
  });

  it("of groups without a user is refused in upstream's words", () => {
    expect(() => impersonation({ "impersonate-group": "devs", "impersonate-uid": "7" })).toThrow(
      "requested [{Group  devs    } {UID  7  authentication.k8s.io/v1  }] without impersonating a user",
    );
  });
});
