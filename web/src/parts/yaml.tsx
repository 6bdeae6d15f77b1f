/** An object as YAML, with the manager of each field beside it. */
import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import { count } from "./format.js";
import { type Manager, managersOf } from "./managers.js";
import { type YamlLineText, linesOf } from "./yaml-lines.js";

const hues = 8;
/** A browser hangs on the hundred thousand lines of a large object, and on a line of a megabyte. */
const step = 2_000;
const longestValue = 5_000;

export function Yaml({ object }: { readonly object: unknown }): JSX.Element {
  const lines = useMemo(() => linesOf(object), [object]);
  const managers = useMemo(() => managersOf(object), [object]);
  const names = useMemo(() => [...new Set([...managers.values()].flat().map(({ name }) => name))], [managers]);
  const [room, grow] = useState(step);
  return (
    <div class="yaml" tabIndex={0} role="region" aria-label="the object as YAML, with the manager of each field">
      {lines.slice(0, room).map((line, i) => (
        <YamlLine key={i} line={line} managers={managers.get(line.path) ?? none} names={names} />
      ))}
      {lines.length > room && (
        <p class="note">
          {count(room)} of {count(lines.length)} lines
          <button type="button" onClick={() => grow(room + step)}>
            show more
          </button>
        </p>
      )}
    </div>
  );
}

/** The beginning of a long value, and the number of the other characters. */
function clipped(value: string): string {
  if (value.length <= longestValue) return value;
  return `${value.slice(0, longestValue)}… and ${value.length - longestValue} characters more`;
}

const none: readonly Manager[] = [];

interface YamlLineProps {
  readonly line: YamlLineText;
  readonly managers: readonly Manager[];
  readonly names: readonly string[];
}

function YamlLine({ line, managers, names }: YamlLineProps): JSX.Element {
  const [first] = managers;
  const hue = first === undefined ? "" : ` hue-${names.indexOf(first.name) % hues}`;
  return (
    <div class={`yaml-line${hue}`} title={managers.map(({ name, time }) => `${name} ${time}`).join("\n")}>
      <code style={{ paddingLeft: `${line.indent * 2}ch` }}>
        {line.dash && "- "}
        {line.name !== "" && <span class="name">{line.name}:</span>} <span class="value">{clipped(line.value)}</span>
      </code>
      <span class="manager">{managers.map(({ name }) => name).join(", ")}</span>
    </div>
  );
}
