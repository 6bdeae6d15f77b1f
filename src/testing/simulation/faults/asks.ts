/** Changes of the desired state: users change the scenario's custom objects in every way their schema allows, and back. */
import { CustomResourceDefinition, isDeleting, isInvalid } from "../../../api/index.js";
import { differences } from "../end-state.js";
import {
  chosen,
  type Controls,
  describePlace,
  type FaultKind,
  type Place,
  type ReferenceFacts,
  type Somebody,
} from "../fault.js";
import { type Ask, asksOf, type AskedObject } from "./asking.js";
import { type AskedChange, patchBack } from "./changes.js";
import { collect, collector, gone, reborn } from "./reborn.js";

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
  triesChanges: true,
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

export const askedAnew: FaultKind = {
  name: "asked-anew",
  about:
    "A field of a custom object is changed; later the object is deleted and made again as it is then, which must end alike; and the field is changed back.",
  fits: isCustom,
  strikesOn: ["time"],
  weight: 0.5,
  triesChanges: true,
  strike({ choice = 0 }, { asked, running, created, somebody }) {
    somebody(
      "changes a field of a custom object, and makes the object again",
      async (user) => {
        const ask = chosen(await asksOf(user, asked, false), choice);
        if (ask !== undefined) await changedAndAnew(user, ask, { running, created });
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

/** Makes the changes in turn, waits after each, and goes back to the state before the first; a change that the server refuses is left out. */
async function thereAndBack(
  user: Somebody,
  place: Place,
  changes: readonly AskedChange[],
  waitMs: number,
): Promise<void> {
  const before = (await user.read(place)) as AskedObject | undefined;
  for (const change of changes) {
    await isMade(user, place, change);
    await user.sleep(waitMs);
  }
  await back(user, place, before);
}

/** Makes the change, if the server does not refuse it. */
async function isMade(user: Somebody, place: Place, { patch, about }: AskedChange): Promise<boolean> {
  try {
    await user.patch(place, patch);
    user.says(`${about} of ${describePlace(place)}`);
    return true;
  } catch (error) {
    if (!isInvalid(error)) throw error;
    user.says(`${about} of ${describePlace(place)}, in vain`);
    return false;
  }
}

async function back(user: Somebody, place: Place, before: AskedObject | undefined): Promise<void> {
  const after = (await user.read(place)) as AskedObject | undefined;
  if (before !== undefined && after !== undefined)
    await user.patch(place, { spec: patchBack(after.spec ?? {}, before.spec ?? {}) });
}

/** Changes the object, makes another with the same fields in its place, and compares the two ends. */
async function changedAndAnew(
  user: Somebody,
  { place, change }: Ask,
  { running, created }: Pick<Controls, "running" | "created">,
): Promise<void> {
  const before = (await user.read(place)) as AskedObject | undefined;
  if (!(await isMade(user, place, change))) return;
  const changed = await user.settled();
  const object = await user.read(place);
  if (object === undefined || isDeleting(object)) return;
  await user.remove(place);
  await gone(user, place);
  if (!running.has(collector)) await collect(user, object, created);
  const usual = created.length;
  await user.create(reborn(object));
  const anew = await user.settled();
  // an operator that makes nothing for it, or fails, may refuse such an object, and keep the children of the old one
  if (changed !== undefined && anew?.isWell === true && created.length > usual)
    for (const line of differences(anew.end, changed.end))
      user.contradicts(`${change.about} of ${describePlace(place)}, which if made so from the start is right: ${line}`);
  await back(user, place, before);
}
