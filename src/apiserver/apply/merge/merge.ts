/**
 * Merges one value over another of the same type: the way in which an applied configuration changes the live object.
 */
import { isRecord, own, setMember } from "../../../base/members.js";
import { deepEqual } from "../../../api/index.js";
import { stepsOf } from "./list-items.js";
import { type ApplyType, formOf, type ListType, type MapType, memberType } from "./types.js";

/**
 * Values of `over` win, and parts that it does not mention stay; nothing is removed. Items of granular lists are merged
 * one by one, and come in the order of `over` where the two disagree. Gives `base` itself if nothing changes, and
 * shares unchanged parts with it.
 */
export function merge(base: unknown, over: unknown, type: ApplyType): unknown {
  if (base === over) return base;
  const form = formOf(type, over === undefined ? base : over);
  if (form === "map") return mergeMaps(base, over, type.map as MapType);
  if (form === "list") return mergeLists(base, over, type.list as ListType);
  return mergeLeaves(base, over);
}

function mergeLeaves(base: unknown, over: unknown): unknown {
  return over === undefined || deepEqual(base, over) ? base : over;
}

function mergeMaps(base: unknown, over: unknown, type: MapType): unknown {
  const left = isRecord(base) ? base : {};
  const right = isRecord(over) ? over : {};
  if (type.atomic || (Object.keys(left).length === 0 && Object.keys(right).length === 0))
    return mergeLeaves(base, over);
  let result: Record<string, unknown> | undefined;
  for (const name of Object.keys(right)) {
    const before = own(left, name);
    const childType = memberType(type, name);
    const merged = childType === undefined ? right[name] : merge(before, right[name], childType);
    if (merged === before) continue;
    result ??= { ...left };
    if (merged === undefined) delete result[name];
    else setMember(result, name, merged);
  }
  return result ?? left;
}

function mergeLists(base: unknown, over: unknown, type: ListType): unknown {
  const left = Array.isArray(base) ? base : [];
  const right = Array.isArray(over) ? over : [];
  if (type.atomic || (left.length === 0 && right.length === 0)) return mergeLeaves(base, over);
  if (right.length === 0) return base;
  const result = mergeItems(left, right, type);
  return result.length === left.length && result.every((item, index) => item === left[index]) ? base : result;
}

/** Duplicates among the live items are not merged with an applied item: the applied item replaces all of them. */
function mergeItems(left: readonly unknown[], right: readonly unknown[], type: ListType): unknown[] {
  const leftSteps = stepsOf(type, left);
  const rightSteps = stepsOf(type, right);
  const leftItems = new Map<string | undefined, unknown>();
  for (const [index, step] of leftSteps.entries()) {
    leftItems.set(step, leftItems.has(step) ? null : left[index]);
  }
  const rightItems = new Map(rightSteps.map((step, index) => [step, right[index]]));
  const merged = (step: string | undefined): unknown => {
    const [before, after] = [leftItems.get(step), rightItems.get(step)];
    return before === null ? after : merge(before, after, type.items);
  };
  const result: unknown[] = [];
  /**
   * The items of both lists, in the order of `right`: the next of these is the only shared item that may be taken from
   * `left`'s row.
   */
  const shared = rightSteps.filter((step) => leftItems.has(step));
  const done = new Set<string | undefined>();
  let [l, r, nextShared] = [0, 0, 0];
  while (l < left.length || r < right.length) {
    const [leftStep, rightStep] = [leftSteps[l], rightSteps[r]];
    if (l < left.length && r < right.length) {
      if (leftStep === rightStep) {
        done.add(leftStep);
        result.push(merged(leftStep));
        l++;
        r++;
        nextShared++;
        continue;
      }
      const next = shared[nextShared];
      if (rightItems.has(leftStep) && next !== undefined && next !== leftStep) {
        l++;
        continue;
      }
    }
    if (l < left.length) {
      if (!rightItems.has(leftStep)) {
        result.push(left[l]);
        l++;
        continue;
      }
      if (done.has(leftStep)) l++;
    }
    if (r < right.length) {
      done.add(rightStep);
      result.push(merged(rightStep));
      r++;
      if (shared[nextShared] === rightStep) nextShared++;
    }
  }
  return result;
}
