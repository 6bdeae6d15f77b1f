import { describe, expect, it } from "vitest";
import { asksToImpersonate, wantedUser } from "./headers.js";

describe("the headers of impersonation", () => {
  it("ask for a user by a user, a uid, groups or extras; an empty user and other headers ask for nothing", () => {
    const asking = [{ "impersonate-user": "a" }, { "impersonate-uid": "1" }, { "impersonate-group": "" }];
    for (const headers of [...asking, { "impersonate-extra-a": "" }]) expect(asksToImpersonate(headers)).toBe(true);
    for (const headers of [{}, { accept: "*/*" }, { "impersonate-user": "" }, { "impersonate-uid": "" }])
      expect(asksToImpersonate(headers as Record<string, string>)).toBe(false);
    expect(asksToImpersonate({ "impersonate-x": "a" })).toBe(false);
  });

  it("give the user, the groups, the uid and what else is known", () => {
    const wanted = wantedUser({
      "impersonate-user": "jane",
      "impersonate-group": ["devs", "a,b"],
      "impersonate-uid": "u-1",
      "impersonate-extra-acme.com%2fproject": ["x", "y"],
      "impersonate-extra-%": "z",
    });
    expect(wanted).toEqual({
      username: "jane",
      groups: ["devs", "a,b"],
      uid: "u-1",
      extra: { "acme.com/project": ["x", "y"], "%": ["z"] },
    });
  });

  it("are refused in upstream's words if they name no user", () => {
    expect(() =>
      wantedUser({ "impersonate-group": "devs", "impersonate-uid": "7", "impersonate-extra-k": ["v"] }),
    ).toThrow(
      'requested &user.DefaultInfo{Name:"", UID:"7", Groups:[]string{"devs"}, Extra:map[string][]string{"k":[]string{"v"}}} without impersonating a user name',
    );
  });
});
