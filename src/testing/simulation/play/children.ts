/** The objects that the operator of a history has made, with the fields that it named. Takes accepted writes. */
import { CustomResourceDefinition } from "../../../api/index.js";
import type { HttpRequest } from "../../../base/index.js";
import { type Child, describePlace, type Place } from "../fault.js";
import { placeIn } from "./recorded.js";

/** A write to an object itself that the server has accepted: the answer, and the text that was sent. */
export interface AcceptedWrite {
  readonly verb: string;
  readonly isNew: boolean;
  readonly answer: unknown;
  readonly body: HttpRequest["body"];
}

interface Made extends Place {
  readonly sent: unknown[];
}

/** Invariant: `all` has an entry for each creation, in their order, even if the object is gone by now. */
export class Children {
  readonly #all: Made[] = [];
  readonly #asked: Place[];

  /** Takes the list of the places that users build on, to which the kinds that an operator installs belong. */
  constructor(asked: Place[]) {
    this.#asked = asked;
  }

  get all(): readonly Child[] {
    return this.#all;
  }

  accepted({ verb, isNew, answer, body }: AcceptedWrite): void {
    const place = placeIn(answer);
    if (place === undefined) return;
    if (isNew && place.kind === CustomResourceDefinition.kind) this.#asked.push(place);
    else if (isNew) this.#all.push({ ...place, sent: [parsed(body)] });
    // an update sends the server's own fields back, and so says nothing about the fields that the operator wants
    else if (verb === "patch")
      this.#all.findLast((one) => describePlace(one) === describePlace(place))?.sent.push(parsed(body));
  }
}

function parsed(body: HttpRequest["body"]): unknown {
  try {
    return JSON.parse(Buffer.from(body ?? []).toString()) as unknown;
  } catch {
    return undefined;
  }
}
