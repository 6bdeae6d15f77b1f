/**
 * Turns YAML text into JSON text as Kubernetes does. The text may be hostile: depth, size and expansion are limited.
 */
import { type Event, getScalarValue, parseEvents, type ScalarEvent, YAMLException } from "js-yaml";
import { messageOf } from "../../base/log/errors.js";
import { goQuote } from "../go-quote.js";
import { resolvePlain, type ScalarTag } from "./resolve.js";
import { YamlError } from "./yaml-error.js";

/** Deeper nesting is refused, as in JSON. */
const maxDepth = 500;
/** Every node but the first follows a separator, so a text with more separators than this is refused before it is parsed. */
const maxSeparators = 100_000;
/** Limit on the characters that aliases and merges add altogether. */
const maxExpansion = 1024 * 1024;
/** Limit on the repeated keys that are reported. */
const maxRepeated = 100;

export interface YamlDocument {
  readonly json: string;
  /**
   * Keys that occur twice in a mapping: `line 5: key "a" already set in map`. The last one counts. At most a hundred.
   */
  readonly repeated: readonly string[];
}

/** Reads the first document of the text. The work is proportional to the length of the text. Throws YamlError. */
export function yamlToJson(text: string): YamlDocument {
  checkSeparators(text);
  let events: Event[];
  try {
    events = parseEvents(text, { maxDepth });
  } catch (error) {
    if (!(error instanceof YAMLException)) throw new YamlError(messageOf(error));
    const isDepth = error.reason.startsWith("nesting exceeded");
    throw new YamlError(isDepth ? `exceeded max depth of ${maxDepth}` : error.reason, (error.mark?.line ?? 0) + 1);
  }
  return new Reader(text, events).document();
}

function checkSeparators(text: string): void {
  if (text.length <= maxSeparators) return;
  let count = 0;
  for (let i = 0; i < text.length; i++) if (isSeparator(text, i)) count++;
  if (count > maxSeparators) {
    throw new YamlError(`more than ${maxSeparators} separators (, : - [ { ?): send an object of this size as JSON`);
  }
}

function isSeparator(text: string, at: number): boolean {
  switch (text.charCodeAt(at)) {
    case 0x2c: // ,
    case 0x3a: // :
    case 0x5b: // [
    case 0x7b: // {
      return true;
    case 0x2d: // -
    case 0x3f: // ?
      // an indicator only before a space; at the end of the text charCodeAt gives NaN, which is not above
      return !(text.charCodeAt(at + 1) > 0x20);
    default:
      return false;
  }
}

interface Node {
  readonly json: string;
  /** The node's text when it is used as a key; undefined for null and for collections, which cannot be keys. */
  readonly key?: string;
  /** The fields of a mapping: names to JSON text. */
  readonly fields?: ReadonlyMap<string, string>;
}

const standardTag = "tag:yaml.org,2002:";

class Reader {
  readonly #text: string;
  readonly #events: readonly Event[];
  /** The node of each anchor; undefined while that node is being read, since a node must not contain itself. */
  readonly #anchors = new Map<string, Node | undefined>();
  readonly #handles = new Map<string, string>([
    ["!", "!"],
    ["!!", standardTag],
  ]);
  readonly #repeated: string[] = [];
  /** The index of the next event to read. */
  #next = 0;
  /** The characters that aliases and merges have added so far. */
  #expanded = 0;
  /** The offsets of line breaks; computed when a line number is first needed. */
  #breaks: readonly number[] | undefined;

  constructor(text: string, events: readonly Event[]) {
    this.#text = text;
    this.#events = events;
  }

  document(): YamlDocument {
    const start = this.#take();
    if (start?.type !== types.document) return { json: "null", repeated: [] };
    for (const directive of start.directives) {
      if (directive.kind === "tag") this.#handles.set(directive.handle, directive.prefix);
    }
    return { json: this.#node().json, repeated: this.#repeated };
  }

  #take(): Event | undefined {
    return this.#events[this.#next++];
  }

  #node(): Node {
    const event = this.#take();
    if (event === undefined || event.type === types.pop || event.type === types.document) {
      throw new YamlError("did not find expected node content");
    }
    if (event.type === types.alias) return this.#alias(this.#text.slice(event.anchorStart, event.anchorEnd));
    const anchor = event.anchorStart < 0 ? undefined : this.#text.slice(event.anchorStart, event.anchorEnd);
    if (anchor !== undefined) this.#anchors.set(anchor, undefined);
    const node =
      event.type === types.scalar ? this.#scalar(event) : event.type === types.sequence ? this.#list() : this.#map();
    if (anchor !== undefined) this.#anchors.set(anchor, node);
    return node;
  }

  #alias(name: string): Node {
    const node = this.#anchors.get(name);
    if (node !== undefined) {
      this.#expand(node.json.length);
      return node;
    }
    if (this.#anchors.has(name)) throw new YamlError(`anchor '${name}' value contains itself`);
    throw new YamlError(`unknown anchor '${name}' referenced`);
  }

  #expand(characters: number): void {
    this.#expanded += characters;
    if (this.#expanded > maxExpansion) throw new YamlError("document contains excessive aliasing");
  }

  #scalar(event: ScalarEvent): Node {
    const text = event.valueStart < 0 ? "" : getScalarValue(this.#text, event);
    const tag = this.#tagOf(event);
    if (tag === "" ? event.style !== plain : !tag.startsWith(standardTag)) return textNode(text);
    return taggedScalar(text, tag.slice(standardTag.length));
  }

  /** The full tag; empty if there is none. */
  #tagOf({ tagStart, tagEnd }: { readonly tagStart: number; readonly tagEnd: number }): string {
    if (tagStart < 0) return "";
    const tag = this.#text.slice(tagStart, tagEnd);
    if (tag.startsWith("!<")) return tag.slice(2, -1);
    const handle = /^!(?:[0-9A-Za-z_-]*!)?/.exec(tag)?.[0] ?? "!";
    return (this.#handles.get(handle) ?? handle) + tag.slice(handle.length);
  }

  #list(): Node {
    let json = "[";
    for (let before = ""; !this.#ends(); before = ",") json += before + this.#node().json;
    return { json: `${json}]` };
  }

  #map(): Node {
    const fields = new Map<string, string>();
    while (!this.#ends()) {
      if (this.#isMergeKey()) this.#merge(fields);
      else this.#field(fields);
    }
    let json = "{";
    let before = "";
    for (const [name, value] of fields) {
      json += `${before}${JSON.stringify(name)}:${value}`;
      before = ",";
    }
    return { json: `${json}}`, fields };
  }

  /** Consumes the end of a collection if it comes next. */
  #ends(): boolean {
    if (this.#events[this.#next]?.type !== types.pop) return false;
    this.#next++;
    return true;
  }

  #field(fields: Map<string, string>): void {
    const { key, json } = this.#node();
    const at = this.#position(this.#next) ?? this.#position(this.#next - 1);
    if (key === undefined) {
      throw new YamlError(json === "null" ? "unsupported map key of type: null" : "invalid map key: a collection");
    }
    this.#set(fields, [key, this.#node().json], { at, shown: json });
  }

  #set(
    fields: Map<string, string>,
    [name, value]: readonly [string, string],
    { at, shown }: { readonly at: number | undefined; readonly shown: string },
  ): void {
    if (fields.has(name) && this.#repeated.length < maxRepeated) {
      const key = shown.startsWith('"') ? goQuote(name) : shown;
      this.#repeated.push(`line ${this.#lineAt(at ?? 0)}: key ${key} already set in map`);
    }
    fields.set(name, value);
  }

  #isMergeKey(): boolean {
    const event = this.#events[this.#next];
    if (event?.type !== types.scalar || this.#text.slice(event.valueStart, event.valueEnd) !== "<<") return false;
    const tag = this.#tagOf(event);
    return tag === "" ? event.style === plain : tag === `${standardTag}merge`;
  }

  /**
   * Merges (`<<`) the fields of one mapping, or of several of which the first wins. They replace fields that stand
   * before them.
   */
  #merge(fields: Map<string, string>): void {
    this.#next++;
    const at = this.#position(this.#next);
    const sources: ReadonlyMap<string, string>[] = [];
    if (this.#events[this.#next]?.type === types.sequence) {
      this.#next++;
      while (!this.#ends()) sources.unshift(this.#mergeSource());
    } else sources.push(this.#mergeSource());
    for (const source of sources) {
      for (const [name, value] of source) {
        this.#expand(name.length + value.length + 1);
        this.#set(fields, [name, value], { at, shown: JSON.stringify(name) });
      }
    }
  }

  #mergeSource(): ReadonlyMap<string, string> {
    const { fields } = this.#node();
    if (fields === undefined) throw new YamlError("map merge requires map or sequence of maps as the value");
    return fields;
  }

  /** The offset where the node of an event begins; undefined for a node that is not written at all. */
  #position(index: number): number | undefined {
    const event = this.#events[index];
    if (event === undefined || event.type === types.pop || event.type === types.document) return undefined;
    const starts = [event.anchorStart];
    if (event.type !== types.alias) starts.push(event.tagStart);
    if (event.type === types.scalar) starts.push(event.valueStart);
    else if (event.type !== types.alias) starts.push(event.start);
    const written = starts.filter((start) => start >= 0);
    return written.length === 0 ? undefined : Math.min(...written);
  }

  #lineAt(offset: number): number {
    this.#breaks ??= [...this.#text.matchAll(/\r\n?|\n/g)].map(({ index }) => index);
    let [low, high] = [0, this.#breaks.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#breaks[middle] as number) < offset) low = middle + 1;
      else high = middle;
    }
    return low + 1;
  }
}

/** The library's numbers for its events, and for the style of an unquoted scalar. */
const types = { document: 1, sequence: 2, mapping: 3, scalar: 4, alias: 5, pop: 6 } as const;
const plain = 1;

const textNode = (text: string): Node => ({ json: JSON.stringify(text), key: text });

/** `tag` is the last part of a standard tag; empty for a scalar whose type follows from its text. */
function taggedScalar(text: string, tag: string): Node {
  if (tag === "str") return textNode(text);
  if (tag === "binary") return textNode(Buffer.from(text, "base64").toString("utf8"));
  const resolved = resolvePlain(text);
  if (tag !== "" && tag !== resolved.tag && !(tag === "float" && resolved.tag === "int")) {
    if (!knownTags.has(tag)) return textNode(text);
    throw new YamlError(`cannot decode !!${resolved.tag} \`${text}\` as a !!${tag}`);
  }
  if (resolved.json === undefined) throw new YamlError(`unsupported value: ${text}`);
  if (resolved.tag === "null") return { json: resolved.json };
  return resolved.tag === "str" || resolved.tag === "timestamp"
    ? textNode(text)
    : { json: resolved.json, key: resolved.json };
}

const knownTags: ReadonlySet<string> = new Set<ScalarTag>(["null", "bool", "int", "float", "timestamp"]);
