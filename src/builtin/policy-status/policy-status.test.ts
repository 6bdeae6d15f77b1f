import { expect, test } from "vitest";
import { patienceMs } from "../../../test/eventually.js";
import { ValidatingAdmissionPolicy } from "../../api/index.js";
import { startCluster } from "../../testing/cluster.js";
import { namedKinds } from "./kinds.js";

const kind = (group: string, name: string, version = "v1") => ({
  group,
  version,
  kind: name,
  plural: `${name.toLowerCase()}s`,
  singular: name.toLowerCase(),
});
const served = [kind("", "Event"), kind("events.k8s.io", "Event"), kind("apps", "Deployment"), kind("", "Pod")];

test.each([
  ["a kind by its plural", ["apps"], ["v1"], ["deployments"], ["apps Deployment"], false],
  ["a kind by its singular, in any case", ["apps"], ["v1"], ["Deployment"], ["apps Deployment"], false],
  [
    "any group's kind, where the core group is meant",
    [""],
    ["v1"],
    ["events"],
    [" Event", "events.k8s.io Event"],
    false,
  ],
  ["nothing for a wildcard in place of a version", ["apps"], ["*"], ["deployments"], [], false],
  ["whole resources only", ["", "apps"], ["v1"], ["*", "pods/status", "pods"], [" Pod"], true],
  ["nothing that is not served, and tells so", ["apps"], ["v2"], ["deployments"], [], true],
] as const)("a rule names %s", (_title, apiGroups, apiVersions, resources, names, isPartial) => {
  const found = namedKinds([{ apiGroups, apiVersions, resources, operations: ["*"] }], served);
  expect(found.kinds.map((one) => `${one.group} ${one.kind}`)).toEqual(names);
  expect(found.isPartial).toBe(isPartial);
});

test("a rule that names many kinds is looked at up to the tenth", () => {
  const many = Array.from({ length: 20 }, (_, i) => kind("many.test", `K${i}`));
  const resources = many.map(({ plural }) => plural);
  expect(namedKinds([{ apiGroups: ["many.test"], apiVersions: ["v1"], resources }], many).kinds).toHaveLength(10);
});

test("the status of a policy follows its expressions", async () => {
  await using cluster = await startCluster({ clock: "virtual", controllers: ["validatingadmissionpolicy-status"] });
  const policies = cluster.client.resource(ValidatingAdmissionPolicy);
  const checks = (expression: string) => ({
    matchConstraints: {
      resourceRules: [
        { apiGroups: ["apps"], apiVersions: ["v1"], operations: ["CREATE"] as const, resources: ["deployments"] },
      ],
    },
    validations: [{ expression }],
  });
  await policies.create({ metadata: { name: "few" }, spec: checks("object.spec.replicas < '5'") });
  const status = async (): Promise<unknown> => {
    await cluster.clock.advance(1000);
    return (await policies.get("few")).status;
  };
  const warning = [
    "apps/v1, Kind=Deployment: ERROR: <input>:1:22: found no matching overload for '_<_' applied to '(int, string)'",
    " | object.spec.replicas < '5'",
    " | .....................^",
    "",
  ].join("\n");
  await expect.poll(status, { timeout: patienceMs }).toEqual({
    observedGeneration: 1,
    typeChecking: { expressionWarnings: [{ fieldRef: "spec.validations[0].expression", warning }] },
  });
  await policies.patch("few", { merge: { spec: checks("object.spec.replicas < 5") } });
  // as on a real server, where the first apply without the list takes away the object around it
  await expect.poll(status, { timeout: patienceMs }).toEqual({ observedGeneration: 2 });
});
