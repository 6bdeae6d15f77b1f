/** The pages for people about controllers at work: takes their journal and snapshots, gives an HTTP answer. */
import { defined } from "../../base/defined.js";
import { type ControllerSnapshot, explainEntry, type Journal } from "../../controller/index.js";

/** The controllers that are shown. */
export interface ShownControllers {
  readonly journal: Journal;
  readonly controllers: readonly ControllerSnapshot[];
}

export interface DebugPage {
  readonly type: "application/json" | "text/plain; charset=utf-8";
  readonly body: string;
}

/** `/debug/controllers`, and `/debug/journal?key=default/web&controller=foo`, as JSON with `&format=json`; undefined for other paths. */
export function debugPage(target: string, { journal, controllers }: ShownControllers): DebugPage | undefined {
  const [pathname, query] = target.split("?");
  const searchParams = new URLSearchParams(query);
  if (pathname === "/debug/controllers") return { type: "application/json", body: JSON.stringify(controllers) };
  if (pathname !== "/debug/journal") return undefined;
  const [key, controller] = [searchParams.get("key") ?? undefined, searchParams.get("controller") ?? undefined];
  const found = journal.entries(defined({ key, controller }));
  if (searchParams.get("format") === "json") return { type: "application/json", body: JSON.stringify(found) };
  return { type: "text/plain; charset=utf-8", body: `${found.map(explainEntry).join("\n")}\n` };
}
