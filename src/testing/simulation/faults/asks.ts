/** Changes of the desired state: users change the scenario's custom objects in every way their schema allows, and back. */
import { CustomResourceDefinition, isDeleting, isInvalid, type KubeObject } from "../../../api/index.js";
import {
  chosen,
  describePlace,
  type FaultKind,
  type Place,
  placeNamed,
  type ReferenceFacts,
  type Somebody,
} from "../fault.js";
import { type AskedChange, changesOf, type FieldSchema, patchBack } from "./changes.js";

const definition = { apiVersion: "apiextensions.k8s.io/v1", kind: CustomResourceDefinition.kind };

const isCustom = ({ asked }: ReferenceFacts): boolean =>
  asked.some(({ kind }) => kind === CustomResourceDefinition.kind);

export const askedAndBack: FaultKind = {
  name: "asked-and-back",
  about:
    "A field of a custom object of the scenario is changed, and changed back; both may come before the last has settled.",
  fits: isCustom,
  strikesOn: ["time"],
  lasts: [50, 60_000],
  weight: 3,
  strike({ choice = 0, forMs = 50 }, { asked, somebody }) {
    somebody(
      "changes a field of a custom object, and back",
      async (user) => {
        const ask = chosen(await asksOf(user, asked, false), choice);
        if (ask !== undefined) await thereAndBack(user, ask.place, [ask.change], forMs);
      },
      { afterScenario: true },
    );
    return undefined;
  },
};

export const askedInTurn: FaultKind = {
  name: "asked-in-turn",
  about:
    "Several fields of a custom object are changed in turn, each before the last change has settled, and then all back.",
  fits: isCustom,
  strikesOn: ["time"],
  lasts: [0, 5_000],
  strike({ choice = 0, forMs = 0 }, { asked, somebody }) {
    somebody(
      "changes several fields of a custom object, and back",
      async (user) => {
        const asks = await asksOf(user, asked, false);
        const first = chosen(asks, choice);
        if (first === undefined) return;
        const more = [1, 2].flatMap((turn) => chosen(asks, (choice * 7919 * turn) % 1) ?? []);
        const changes = [first, ...more].filter(({ place }) => place.name === first.place.name);
        await thereAndBack(
          user,
          first.place,
          changes.map(({ change }) => change),
          forMs,
        );
      },
      { afterScenario: true },
    );
    return undefined;
  },
};

export const askedInvalid: FaultKind = {
  name: "asked-invalid",
  about:
    "A field of a custom object is set to a value that its schema forbids: the server refuses, and nothing may change.",
  fits: isCustom,
  strikesOn: ["time"],
  lasts: [50, 60_000],
  weight: 0.5,
  strike({ choice = 0, forMs = 50 }, { asked, somebody }) {
    somebody(
      "asks for something invalid",
      async (user) => {
        const ask = chosen(await asksOf(user, asked, true), choice);
        if (ask !== undefined) await thereAndBack(user, ask.place, [ask.change], forMs);
      },
      { afterScenario: true },
    );
    return undefined;
  },
};

interface Ask {
  readonly place: Place;
  readonly change: AskedChange;
}

type CustomObject = KubeObject & { readonly spec?: unknown };

async function asksOf(user: Somebody, asked: readonly Place[], invalid: boolean): Promise<readonly Ask[]> {
  const definitions = (await user.list(definition)) as readonly CustomResourceDefinition[];
  const asks: Ask[] = [];
  const seen = new Set<string>();
  for (const place of asked) {
    const schema = schemaOf(definitions, place);
    const object = schema && !seen.has(describePlace(place)) ? ((await user.read(place)) as CustomObject) : undefined;
    seen.add(describePlace(place));
    if (schema === undefined || object === undefined || isDeleting(object)) continue;
    for (const change of changesOf(schema, object))
      if (change.isInvalid === invalid) asks.push({ place: placeNamed(object), change });
  }
  return asks;
}

function schemaOf(
  definitions: readonly CustomResourceDefinition[],
  { apiVersion, kind }: Place,
): FieldSchema | undefined {
  const [group, version] = apiVersion.split("/");
  const found = definitions.find(({ spec }) => spec.group === group && spec.names.kind === kind);
  return found?.spec.versions.find(({ name }) => name === version)?.schema?.openAPIV3Schema as FieldSchema | undefined;
}

/** Makes the changes in turn, waits after each, and goes back to the state before the first; a change that the server refuses is left out. */
async function thereAndBack(
  user: Somebody,
  place: Place,
  changes: readonly AskedChange[],
  waitMs: number,
): Promise<void> {
  const before = (await user.read(place)) as CustomObject | undefined;
  for (const { patch, about } of changes) {
    try {
      await user.patch(place, patch);
      user.says(`${about} of ${describePlace(place)}`);
    } catch (error) {
      if (!isInvalid(error)) throw error;
      user.says(`${about} of ${describePlace(place)}, in vain`);
    }
    await user.sleep(waitMs);
  }
  const after = (await user.read(place)) as CustomObject | undefined;
  if (before !== undefined && after !== undefined)
    await user.patch(place, { spec: patchBack(after.spec ?? {}, before.spec ?? {}) });
}
