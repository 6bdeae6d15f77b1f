/** Faults of other users who delete an object of the scenario, its namespace or its definition, and make it again. */
import { isConditionTrue, isDeleting, type KubeObject } from "../../../api/index.js";
import { chosen, describePlace, type FaultKind, type Place, placeNamed, type Somebody } from "../fault.js";
import { collector, gone, mostWaits, reborn } from "./reborn.js";

const definitionKind = "CustomResourceDefinition";

export const ownerRecreated: FaultKind = {
  name: "owner-recreated",
  about: "Somebody deletes an object of the scenario and makes it again under the same name, with another uid.",
  needs: collector,
  strikesOn: ["time"],
  strike({ choice }, { asked, somebody }) {
    somebody(
      "deletes an object of the scenario and makes it again",
      async (user) => {
        const place = chosen(
          asked.filter(({ kind }) => kind !== definitionKind && kind !== "Namespace"),
          choice,
        );
        const object = place && (await user.read(place));
        if (place === undefined || object === undefined || isDeleting(object)) return;
        await user.remove(place);
        await gone(user, place);
        await user.create(reborn(object));
      },
      { afterScenario: true },
    );
    return undefined;
  },
};

/** The namespaces that the scenario made: in those of the set-up there may be objects that nobody would make again. */
const namespacesOf = (asked: readonly Place[]): readonly string[] =>
  asked.filter(({ kind }) => kind === "Namespace").map(({ name }) => name);

export const namespaceRecreated: FaultKind = {
  name: "namespace-recreated",
  about: "Somebody deletes a namespace with everything in it, and makes it and the objects of the scenario again.",
  needs: "namespace-controller",
  fits: ({ asked }) => namespacesOf(asked).length > 0,
  strikesOn: ["time"],
  strike({ choice }, { asked, somebody }) {
    somebody(
      "deletes a namespace and makes it again",
      async (user) => {
        const name = chosen(namespacesOf(asked), choice);
        if (name === undefined) return;
        const place = { apiVersion: "v1", kind: "Namespace", namespace: "", name };
        await removedAndMadeAgain(
          user,
          place,
          asked.filter(({ namespace }) => namespace === name),
        );
      },
      { afterScenario: true },
    );
    return undefined;
  },
};

export const definitionRecreated: FaultKind = {
  name: "definition-recreated",
  about:
    "Somebody removes the definition of a kind with all its objects, and installs it and the scenario's objects again.",
  needs: collector,
  fits: ({ asked, created }) => [...asked, ...created].some(({ kind }) => kind === definitionKind),
  strikesOn: ["time"],
  strike({ choice }, { asked, created, somebody }) {
    somebody(
      "removes a definition and installs it again",
      async (user) => {
        const place = chosen(
          [...asked, ...created].filter(({ kind }) => kind === definitionKind),
          choice,
        );
        const definition = place && ((await user.read(place)) as Definition | undefined);
        if (place === undefined || definition === undefined) return;
        const { group, names, versions } = definition.spec;
        const all = await user.list({ apiVersion: `${group}/${versions[0]?.name ?? "v1"}`, kind: names.kind });
        const isOperators = (object: KubeObject): boolean =>
          created.some((one) => describePlace(one) === describePlace(placeNamed(object)));
        await removedAndMadeAgain(user, place, all.filter((object) => !isOperators(object)).map(placeNamed));
      },
      { afterScenario: true },
    );
    return undefined;
  },
};

interface Definition extends KubeObject {
  readonly spec: {
    readonly group: string;
    readonly names: { readonly kind: string };
    readonly versions: readonly { readonly name: string }[];
  };
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

async function removedAndMadeAgain(user: Somebody, place: Place, content: readonly Place[]): Promise<void> {
  const container = await user.read(place);
  if (container === undefined || isDeleting(container)) return;
  const objects: KubeObject[] = [];
  for (const one of content) {
    const object = await user.read(one);
    if (object !== undefined && !isDeleting(object)) objects.push(object);
  }
  await user.remove(place);
  await gone(user, place);
  await user.create(reborn(container));
  if (place.kind === definitionKind) await established(user, place);
  const made = new Set<string>();
  for (const object of objects) {
    const name = describePlace(placeNamed(object));
    if (!made.has(name)) await user.create(reborn(object));
    made.add(name);
  }
}

async function established(user: Somebody, place: Place): Promise<void> {
  for (let waits = 0; waits < mostWaits; waits++) {
    const { status } = ((await user.read(place)) ?? {}) as Partial<Definition>;
    if (isConditionTrue(status?.conditions, "Established")) return;
    await user.sleep(100);
  }
  throw new Error(`${describePlace(place)} is not established`);
}
