/** Reads the file of a recording: takes a file that somebody has chosen, gives the recording, or an error for people. */
import { Recording } from "./recording.js";
import { mostCharacters, readTrace } from "./trace.js";

export async function readRecording(file: File): Promise<Recording> {
  if (file.size > mostCharacters)
    throw new Error(`the file has ${Math.round(file.size / 1e6)} MB, and the page reads ${mostCharacters / 1e6}`);
  // a turn of the event loop, so that the page stays alive
  const pause = (): Promise<void> => new Promise((resume) => setTimeout(resume));
  return new Recording(file.name, await readTrace(await file.text(), pause));
}
