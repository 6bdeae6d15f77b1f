/** Reads the messages of a generated.proto, which defines the protobuf encoding. */
import { readFile } from "node:fs/promises";

export interface ProtoField {
  readonly number: number;
  readonly name: string;
  readonly label: "optional" | "repeated" | "map";
  /** For a map: the type of the values. */
  readonly type: string;
}

export type ProtoMessages = ReadonlyMap<string, ReadonlyMap<number, ProtoField>>;

export async function readProto(path: string): Promise<ProtoMessages> {
  const messages = new Map<string, Map<number, ProtoField>>();
  const text = (await readFile(path, "utf8")).replaceAll(/^\s*\/\/.*$/gm, "");
  for (const [, name, body] of text.matchAll(/^message (\w+) \{\n([\s\S]*?)^\}/gm)) {
    const fields = new Map<number, ProtoField>();
    for (const match of (body as string).matchAll(/^\s*(optional|repeated|map<string,) ([\w.]+)>? (\w+) = (\d+)/gm)) {
      const [, label, type, field, number] = match as unknown as [string, string, string, string, string];
      fields.set(Number(number), {
        number: Number(number),
        name: field,
        label: label.startsWith("map") ? "map" : (label as "optional" | "repeated"),
        type,
      });
    }
    messages.set(name as string, fields);
  }
  return messages;
}
