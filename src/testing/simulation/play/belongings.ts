/** The objects and annotations of other users that the operator must leave alone. Takes writes; gives the harm at the end. */
import type { KubeObject } from "../../../api/index.js";
import { foreignMark } from "../end-state.js";
import { describePlace, type Place } from "../fault.js";

/** An object as its owner last wrote it. */
interface Belonging {
  readonly place: Place;
  readonly uid: string;
  /** The revision of an object that is somebody's own; undefined if only the annotation is. */
  readonly revision: string | undefined;
}

/** Invariant: one entry for each write of somebody; objects that are gone may be among those that were only marked. */
export class Belongings {
  readonly #all: Belonging[] = [];
  readonly #complaints: string[] = [];

  marked(place: Place, { metadata }: KubeObject): void {
    this.#all.push({ place, uid: metadata.uid ?? "", revision: undefined });
  }

  added(place: Place, { metadata: { uid = "", resourceVersion = "" } }: KubeObject): void {
    this.#all.push({ place, uid, revision: resourceVersion });
  }

  complains(harm: string): void {
    this.#complaints.push(harm);
  }

  get areThere(): boolean {
    return this.#all.length > 0;
  }

  /** True if the object is somebody's own, and not the operator's or the scenario's. */
  isOwn({ metadata }: KubeObject): boolean {
    return this.#all.some(({ uid, revision }) => revision !== undefined && uid === metadata.uid);
  }

  /** One message for each object or annotation that is not as it was left. */
  harmIn(objects: readonly KubeObject[]): readonly string[] {
    const found = this.#all.flatMap(({ place, uid, revision }) => {
      const object = objects.find(({ metadata }) => metadata.uid === uid);
      const name = describePlace(place);
      if (revision === undefined)
        return object === undefined || foreignMark in (object.metadata.annotations ?? {})
          ? []
          : [`${name}: somebody else's annotation was removed`];
      if (object === undefined) return [`${name}: belongs to somebody else, and was deleted`];
      return object.metadata.resourceVersion === revision ? [] : [`${name}: belongs to somebody else, and was changed`];
    });
    return [...this.#complaints, ...found];
  }
}
