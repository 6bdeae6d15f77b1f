import fc from "fast-check";
import { expect, test } from "vitest";
import type { KubeObject, Subject } from "../../../api/index.js";
import { FakeClock } from "../../../base/index.js";
import type { UserInfo } from "../../contracts/user.js";
import { MvccStore } from "../../storage/mvcc-store.js";
import { type Binding, Bindings, subjectFor } from "./bindings.js";

const collection = "rbac.authorization.k8s.io/rolebindings";

const subject: fc.Arbitrary<Subject> = fc.record(
  {
    kind: fc.constantFrom("User", "Group", "ServiceAccount", "Robot"),
    name: fc.constantFrom("a", "b", "system:serviceaccount:n:a"),
    namespace: fc.constantFrom("n", "m"),
  },
  { requiredKeys: ["kind", "name"] },
);
/** The same objects at each request, as of users with a token: what is remembered of them must not grow old. */
const users: readonly UserInfo[] = [
  { username: "a", uid: "", groups: [], extra: {} },
  { username: "b", uid: "", groups: ["a"], extra: {} },
  { username: "system:serviceaccount:n:a", uid: "", groups: ["a", "b"], extra: {} },
  { username: "system:serviceaccount:m:b", uid: "", groups: ["b"], extra: {} },
];
const step = fc.record({
  /** "" for a binding of the whole cluster. */
  namespace: fc.constantFrom("", "n", "m"),
  name: fc.constantFrom("x", "y", "z"),
  subjects: fc.option(fc.array(subject, { maxLength: 4 }), { nil: undefined }),
  asks: fc.boolean(),
  user: fc.constantFrom(...users),
});

/** Whether a subject is the user, by the words of the RBAC documentation. */
function isUser({ kind, name, namespace }: Subject, home: string, { username, groups }: UserInfo): boolean {
  if (kind === "User") return name === username;
  if (kind === "Group") return groups.includes(name);
  return kind === "ServiceAccount" && username === `system:serviceaccount:${namespace ?? home}:${name}`;
}

test("a user's bindings are the ones that a look at each binding finds, whatever was written in between", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40 }), async (steps) => {
      await using store = new MvccStore({ clock: new FakeClock() });
      using bindings = new Bindings(store, collection).start();
      for (const { namespace, name, subjects, asks, user: asker } of steps) {
        const key = namespace === "" ? name : `${namespace}/${name}`;
        const expected = store.get(collection, key)?.revision ?? 0;
        const object = {
          apiVersion: "rbac.authorization.k8s.io/v1",
          kind: "RoleBinding",
          metadata: namespace === "" ? { name } : { namespace, name },
          subjects,
        } as KubeObject;
        if (subjects !== undefined) store.commit([{ type: "put", collection, key, expected, object }]);
        else if (expected > 0) store.commit([{ type: "delete", collection, key, expected }]);
        if (!asks) continue;
        const all = store
          .list({ collection, prefix: "", from: "" })
          .items.map((one) => one.object as unknown as Binding);
        const here = all.filter(({ metadata }) => (metadata.namespace ?? "") === namespace);
        const naive = here.flatMap((binding) => {
          const found = binding.subjects?.find((one) => isUser(one, namespace, asker));
          return found === undefined ? [] : [{ name: binding.metadata.name, found }];
        });
        const found = bindings.of(asker, namespace);
        expect(found.map((one) => ({ name: one.metadata.name, found: subjectFor(one, asker) }))).toEqual(naive);
      }
    }),
  );
});
