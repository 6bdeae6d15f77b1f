/** The objects, annotations and labels of other users that the operator must leave alone. Takes writes; gives the harm at the end. */
import type { KubeObject } from "../../../api/index.js";
import { foreignMark } from "../end-state.js";
import { describePlace, type MarkedMember, type Place } from "../fault.js";

/** An object of somebody's as its owner last wrote it, or a mark of somebody's on an object. */
interface Belonging {
  readonly place: Place;
  readonly uid: string;
  readonly left: { readonly revision: string } | { readonly mark: MarkedMember };
}

/** Invariant: one entry for each write; an entry that was only marked may be about an object that is gone. */
export class Belongings {
  readonly #all: Belonging[] = [];
  readonly #complaints: string[] = [];

  marked(place: Place, { metadata }: KubeObject, mark: MarkedMember): void {
    this.#all.push({ place, uid: metadata.uid ?? "", left: { mark } });
  }

  added(place: Place, { metadata: { uid = "", resourceVersion = "" } }: KubeObject): void {
    this.#all.push({ place, uid, left: { revision: resourceVersion } });
  }

  complains(harm: string): void {
    this.#complaints.push(harm);
  }

  get areThere(): boolean {
    return this.#all.length > 0;
  }

  /** True if the object is somebody's own, and not the operator's or the scenario's. */
  isOwn({ metadata }: KubeObject): boolean {
    return this.#all.some(({ uid, left }) => "revision" in left && uid === metadata.uid);
  }

  /** One message for each object or mark that is not as it was left. */
  harmIn(objects: readonly KubeObject[]): readonly string[] {
    const found = this.#all.flatMap(({ place, uid, left }) => {
      const object = objects.find(({ metadata }) => metadata.uid === uid);
      const name = describePlace(place);
      if ("mark" in left)
        return object === undefined || foreignMark in (object.metadata[left.mark] ?? {})
          ? []
          : [`${name}: somebody else's ${left.mark.slice(0, -1)} was removed`];
      if (object === undefined) return [`${name}: belongs to somebody else, and was deleted`];
      return object.metadata.resourceVersion === left.revision
        ? []
        : [`${name}: belongs to somebody else, and was changed`];
    });
    return [...this.#complaints, ...found];
  }
}
