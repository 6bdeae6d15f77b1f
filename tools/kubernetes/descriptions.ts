/** Joins the descriptions of types and fields, and checks that each belongs to an existing one. */
import type { Message, Model } from "./model.js";
import { clusterWords } from "./words/cluster.js";
import { everywhere, machineryWords, ofConditions } from "./words/machinery.js";
import { podWords } from "./words/pods.js";
import type { Words } from "./words/words.js";
import { workloadWords } from "./words/workloads.js";

export interface Descriptions {
  /** The descriptions of single types and fields, without the shared ones. */
  readonly words: Words;
}

export function readDescriptions(model: Model): Descriptions {
  const words: Words = { ...machineryWords, ...podWords, ...workloadWords, ...clusterWords };
  for (const [qualified, fields] of Object.entries(words)) check(model, qualified, Object.keys(fields));
  return { words };
}

/**
 * A description of something that does not exist is a mistake. A list of fields may be shared by types of which each
 * has only some.
 */
function check(model: Model, qualified: string, fields: readonly string[]): void {
  const message = model.messages.get(qualified);
  if (message === undefined) throw new Error(`there are words for ${qualified}, which is no type`);
  const known = fieldsOf(model, message);
  if (fields.some((field) => field !== "") && !fields.some((field) => known.has(field))) {
    throw new Error(`none of the words for ${qualified} is about a field`);
  }
}

function fieldsOf(model: Model, message: Message): ReadonlySet<string> {
  const own = message.fields.flatMap(({ name, inline, type }) =>
    inline && type.is === "message" ? [...fieldsOf(model, model.messages.get(type.name) as Message)] : [name],
  );
  return new Set(own);
}

/** For the runtime: one line for each text, `type field<TAB>text`; shared texts and texts for conditions come first. */
export function emitDescriptions(banner: string, { words }: Descriptions): string {
  const shared = [
    ...Object.entries(everywhere).map(([field, text]) => `* ${field}\t${text}`),
    ...Object.entries(ofConditions).map(([field, text]) => `*Condition ${field}\t${text}`),
  ];
  const own = Object.entries(words)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([type, fields]) => Object.entries(fields).map(([field, text]) => `${type} ${field}\t${text}`));
  const table = [...shared, ...own].join("\n");
  if (/[`\\$]\{|`/.test(table)) throw new Error("a description would end the literal");
  return `${banner}\n/** Its form is described in ../schema/descriptions.ts. */\nexport const descriptionTable: string = String.raw\`\n${table}\n\`;\n`;
}
