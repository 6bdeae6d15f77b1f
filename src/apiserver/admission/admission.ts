/** Admission: decisions about a write that need more than the object itself. Called by the registry between defaulting and storing. */
import type { GroupVersionKind, GroupVersionResource, KubeObject } from "../../api/index.js";
import type { UserInfo } from "../auth/user.js";
import type { Rounds } from "./dynamic/rounds.js";

export interface AdmissionRequest {
  readonly operation: "CREATE" | "UPDATE" | "DELETE" | "CONNECT";
  readonly resource: GroupVersionResource;
  readonly subresource: string;
  readonly kind: GroupVersionKind;
  readonly namespace: string;
  readonly name: string;
  /** Absent for DELETE. */
  readonly object?: KubeObject;
  /** Absent for CREATE. */
  readonly old?: KubeObject;
  readonly options: KubeObject | undefined;
  readonly user: UserInfo;
  readonly dryRun: boolean;
  /** Of this write. */
  readonly rounds: Rounds;
  warn(text: string): void;
}

/**
 * One plug-in. `mutate` gives the object to go on with (the same one if nothing changes); `validate` throws a StatusError to refuse.
 * Both may wait (webhooks), so what they read can be stale when the write commits; the commit's expectation catches the object itself.
 * A plug-in that only looks at memory returns plain values, so that a write without webhooks stays synchronous.
 */
export interface AdmissionPlugin {
  readonly name: string;
  mutate?(request: AdmissionRequest & { readonly object: KubeObject }): KubeObject | Promise<KubeObject>;
  validate?(request: AdmissionRequest): void | Promise<void>;
}
