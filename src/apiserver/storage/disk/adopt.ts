/** Makes the manifest of a folder without one: empty for a new folder, the files found for version 0.1. */
import type { Logger } from "../../../base/index.js";
import { segmentsAfter } from "./disk-journal.js";
import { dataFiles, type NamedFile, readHeader, restore } from "./files.js";
import type { DataFolder } from "./folder.js";
import { type Manifest, manifestName } from "./manifest.js";

/** Throws if a file is missing, as far as version 0.1 allows to detect that. The last segment may have a torn end. */
export async function adopt(folder: DataFolder, log: Logger): Promise<Manifest> {
  const files: Found[] = [];
  for (const file of dataFiles(await folder.names())) {
    const found = await look(folder, file);
    if (found !== undefined) files.push(found);
    else log.warn("a log that was never finished is left out: it is empty", { file: file.name });
  }
  const snapshot = files.findLast(({ kind }) => kind === "snapshot");
  const revision = snapshot?.revision ?? 0;
  const logs = segmentsAfter(
    files.filter(({ kind }) => kind === "log"),
    revision,
  );
  const first = logs[0]?.revision ?? 0;
  if (files.length > 0 && (logs.length === 0 || first > revision + 1)) {
    const until = logs.length === 0 ? "" : ` to ${first - 1}`;
    throw new Error(`the log that has the revisions from ${revision + 1}${until} is missing: ${restore}`);
  }
  const segments = logs.map(({ revision: begins, bytes }, i) => ({
    revision: begins,
    id: "",
    ...(i === logs.length - 1 ? {} : { bytes }),
  }));
  return snapshot === undefined ? { segments } : { snapshot: { revision, id: "", bytes: snapshot.bytes }, segments };
}

interface Found extends NamedFile {
  readonly bytes: number;
}

/** The file with its size; undefined for a segment that is empty because a crash interrupted its creation. */
async function look(folder: DataFolder, { name, kind, revision }: NamedFile): Promise<Found | undefined> {
  const file = await folder.open(name);
  try {
    const bytes = await file.size();
    const header = await readHeader(file, { name, kind, revision });
    if (header?.form === 1) return { name, kind, revision, bytes };
    if (kind === "log" && bytes <= (header?.bytes ?? longestTorn)) return undefined;
    throw header === undefined
      ? new Error(`${name} is not a file of Coxswain: use another data folder; nothing was changed`)
      : new Error(`${manifestName}, the list of the folder's files, is missing: ${restore}`);
  } finally {
    await file.close();
  }
}

/** A log of version 0.1 began with eight bytes, which a crash could tear. */
const longestTorn = 8;
