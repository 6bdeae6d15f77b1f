/** Writes that the server refused for lack of a permission. */
import { isForbidden, type ResourceType } from "../../api/index.js";
import { messageOf } from "../../base/index.js";
import type { JournalWrite } from "../history/journal.js";

/** A permission that the controller needs and lacks. */
export interface MissingPermission {
  readonly verb: string;
  readonly group: string;
  /** With the subresource: `deployments`, `foos/status`. */
  readonly resource: string;
  /** The server's words. */
  readonly message: string;
}

/** The kind that a write was of. Without `subresources`, a write of the status is one of the subresource. */
type Refused = Pick<ResourceType, "group" | "plural"> & Partial<Pick<ResourceType, "subresources">>;

/** Quotas, limits and admission refuse with the same code: only this message is about permissions. */
const aboutPermission = /cannot \w+ resource "/;

const verbs: Readonly<Record<JournalWrite["verb"], string>> = {
  create: "create",
  update: "update",
  patch: "patch",
  apply: "patch",
  delete: "delete",
  status: "patch",
};

/** Remembers a refusal until the same write is allowed. */
export class Refusals {
  readonly #missing = new Map<string, MissingPermission>();

  get missing(): readonly MissingPermission[] {
    return [...this.#missing.values()];
  }

  allowed(verb: JournalWrite["verb"], type: Refused): void {
    if (this.#missing.size > 0) this.#missing.delete(idOf(verb, type));
  }

  failed(verb: JournalWrite["verb"], type: Refused, error: unknown): void {
    if (!isForbidden(error) || !aboutPermission.test(messageOf(error))) return;
    const id = idOf(verb, type);
    const [name = "", resource = ""] = id.split(" ");
    this.#missing.set(id, { verb: name, group: type.group, resource, message: messageOf(error) });
  }
}

function idOf(verb: JournalWrite["verb"], { group, plural, subresources }: Refused): string {
  const resource = verb === "status" && subresources?.includes("status") !== false ? `${plural}/status` : plural;
  return `${verbs[verb]} ${resource} ${group}`;
}
