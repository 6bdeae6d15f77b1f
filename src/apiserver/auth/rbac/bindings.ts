/** Finds the bindings that name a user, in time that does not grow with the number of bindings. */
import { getOrMake } from "../../../base/containers/recent.js";
import type { ClusterRoleBinding, RoleBinding, Subject } from "../../../api/index.js";
import type { UserInfo } from "../../contracts/user.js";
import type { Store, Stored, StoreWatch } from "../../storage/contract.js";
import { byEntryName } from "../../../base/members.js";

export type Binding = Pick<RoleBinding | ClusterRoleBinding, "metadata" | "roleRef" | "subjects">;

/** Bindings by their key. */
type Named = Map<string, Binding>;

/**
 * The bindings of one collection. Invariant, from the start until the end: after `#catchUp`, `#bySubject` has each
 * binding of the store's settled state under each of its subjects, and nothing else; `#subjects` has the subjects of each
 * of these bindings; `#ofCluster` has answers about the same state.
 */
export class Bindings implements Disposable {
  readonly #store: Store;
  readonly #collection: string;
  readonly #bySubject = new Map<string, Named>();
  readonly #subjects = new Map<string, ReadonlySet<string>>();
  /** Cluster-wide bindings by user. Bindings of namespaces are not kept: their number would be up to clients that make up names. */
  #ofCluster = new WeakMap<UserInfo, readonly Binding[]>();
  #watch: StoreWatch | undefined;

  constructor(store: Store, collection: string) {
    this.#store = store;
    this.#collection = collection;
  }

  /** Reads all bindings, and follows their changes until it is disposed. */
  start(): this {
    const collection = this.#collection;
    const after = this.#store.settledRevision;
    for (const stored of this.#store.list({ collection, prefix: "", from: "", revision: after }).items) {
      this.#set(stored.key, stored);
    }
    this.#watch = this.#store.watch(
      { collection, prefix: "", after },
      (events) => {
        for (const { key, current } of events) this.#set(key, current);
      },
      () => {
        this[Symbol.dispose]();
        this.start();
      },
    );
    return this;
  }

  /** The bindings in the namespace (`""` for those of the cluster) that name the user, by the order of their names. */
  of(user: UserInfo, namespace: string): readonly Binding[] {
    this.#catchUp();
    if (namespace !== "") return this.#find(user, namespace);
    return getOrMake(this.#ofCluster, user, () => this.#find(user, ""));
  }

  #find(user: UserInfo, namespace: string): readonly Binding[] {
    const found: Named = new Map();
    for (const subject of [userText(user.username), ...user.groups.map(groupText)]) {
      for (const [key, binding] of this.#bySubject.get(`${namespace}/${subject}`) ?? []) found.set(key, binding);
    }
    if (found.size < 2) return [...found.values()];
    return [...found].sort(byEntryName).map(([, binding]) => binding);
  }

  [Symbol.dispose](): void {
    this.#watch?.[Symbol.dispose]();
    this.#watch = undefined;
    this.#bySubject.clear();
    this.#subjects.clear();
    this.#ofCluster = new WeakMap();
  }

  /** Takes over all changes that are settled. */
  #catchUp(): void {
    while (this.#watch !== undefined && this.#watch.catchUp() < this.#store.settledRevision);
  }

  #set(key: string, stored: Stored | undefined): void {
    this.#ofCluster = new WeakMap();
    for (const subject of this.#subjects.get(key) ?? []) {
      const named = this.#bySubject.get(subject);
      named?.delete(key);
      if (named?.size === 0) this.#bySubject.delete(subject);
    }
    this.#subjects.delete(key);
    if (stored === undefined) return;
    const binding = stored.object as unknown as Binding;
    const namespace = binding.metadata.namespace ?? "";
    const texts = (binding.subjects ?? []).flatMap((subject) => subjectText(subject, namespace) ?? []);
    const subjects = new Set(texts.map((text) => `${namespace}/${text}`));
    for (const subject of subjects) {
      const named = this.#bySubject.get(subject);
      if (named === undefined) this.#bySubject.set(subject, new Map([[key, binding]]));
      else named.set(key, binding);
    }
    this.#subjects.set(key, subjects);
  }
}

const userText = (name: string): string => `User ${name}`;
const groupText = (name: string): string => `Group ${name}`;

/**
 * The subject of a binding in namespace `home`, as one text; a service account is the user that its tokens stand for.
 * Undefined for a subject that can be nobody.
 */
function subjectText({ kind, name, namespace }: Subject, home: string): string | undefined {
  switch (kind) {
    case "User":
      return userText(name);
    case "Group":
      return groupText(name);
    case "ServiceAccount": {
      const place = namespace || home;
      return place === "" ? undefined : userText(`system:serviceaccount:${place}:${name}`);
    }
    default:
      return undefined;
  }
}

/** The first subject of the binding that is the user. */
export function subjectFor({ metadata, subjects = [] }: Binding, { username, groups }: UserInfo): Subject | undefined {
  const texts = new Set([userText(username), ...groups.map(groupText)]);
  return subjects.find((subject) => {
    const text = subjectText(subject, metadata.namespace ?? "");
    return text !== undefined && texts.has(text);
  });
}
