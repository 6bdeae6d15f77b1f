/** Compares two recordings of one scenario; gives one line for each difference. Pure. */
import type { Recording, Scenario } from "./scenario.js";

export function differences(scenario: Scenario, ours: Recording, real: Recording): readonly string[] {
  const lines: string[] = [];
  if (ours.failure !== undefined) lines.push(`ours did not end: ${ours.failure}`);
  if (real.failure !== undefined) lines.push(`the real one did not end: ${real.failure}`);
  for (const [checkpoint, expected] of Object.entries(real.checkpoints)) {
    const got = ours.checkpoints[checkpoint];
    if (got === undefined) continue;
    for (const line of objectDifferences(got.objects, expected.objects)) lines.push(`${checkpoint}: ${line}`);
    const [ourEvents, realEvents] = scenario.loose
      ? withoutPace(got.events, expected.events)
      : [got.events, expected.events];
    for (const line of onlyIn(ourEvents, realEvents)) lines.push(`${checkpoint}: only ours: event ${line}`);
    for (const line of onlyIn(realEvents, ourEvents)) lines.push(`${checkpoint}: only real: event ${line}`);
  }
  return lines.map((line) => `${scenario.name}: ${line}`);
}

/** The events of both sides without those whose number depends on the pace. */
function withoutPace(
  ours: readonly string[],
  real: readonly string[],
): readonly [readonly string[], readonly string[]] {
  const told = [ours, real].map((events) => events.map(withoutNumbers));
  const combined = new Set(told.flat().filter(isCombined).map(topicOf));
  const [a = [], b = []] = told.map((events) =>
    [...new Set(events.map((event) => (combined.has(topicOf(event)) ? topicOf(event) : event)))].toSorted(),
  );
  return [a, b];
}

const withoutNumbers = (text: string): string => text.replaceAll(/\b\d+\b/g, "N").replaceAll(/ (once|often):/g, ":");

/**
 * Events beyond the tenth of one topic are combined, and only the last message is known: the pace decides which are
 * recorded singly.
 */
const isCombined = (event: string): boolean => event.includes("(combined from similar events)");
const topicOf = (event: string): string => event.replace(/^(.*?\): \w+ \w+):.* (\[[^[]*\])$/, "$1 $2");

/** As multisets. */
function onlyIn(these: readonly string[], those: readonly string[]): readonly string[] {
  const left = [...those];
  return these.filter((item) => {
    const at = left.indexOf(item);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

function objectDifferences(ours: readonly string[], real: readonly string[]): readonly string[] {
  const lines: string[] = [];
  const [extra, missing] = [onlyIn(ours, real), [...onlyIn(real, ours)]];
  for (const object of extra) {
    const at = missing.findIndex((other) => nameOf(other) === nameOf(object));
    if (at < 0) lines.push(`only ours: ${nameOf(object)}`);
    else {
      const [other] = missing.splice(at, 1) as [string];
      for (const line of jsonDifferences(bodyOf(object), bodyOf(other), "")) lines.push(`${nameOf(object)}${line}`);
    }
  }
  return [...lines, ...missing.map((object) => `only real: ${nameOf(object)}`)];
}

const nameOf = (object: string): string => object.slice(0, object.indexOf(" {"));
const bodyOf = (object: string): unknown => JSON.parse(object.slice(object.indexOf(" {") + 1));

function jsonDifferences(ours: unknown, real: unknown, path: string): readonly string[] {
  if (JSON.stringify(ours) === JSON.stringify(real)) return [];
  if (isObject(ours) && isObject(real) && Array.isArray(ours) === Array.isArray(real)) {
    return [...new Set([...Object.keys(ours), ...Object.keys(real)])].flatMap((key) =>
      jsonDifferences(ours[key], real[key], `${path}.${key}`),
    );
  }
  return [`${path}: ours ${JSON.stringify(ours)}, real ${JSON.stringify(real)}`];
}

const isObject = (value: unknown): value is Record<string, unknown> => value !== null && typeof value === "object";
