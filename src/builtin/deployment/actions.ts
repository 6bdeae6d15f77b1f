/** The actions that a sync of a Deployment may take. */
import type { Deployment, Draft, ReplicaSet } from "../../api/index.js";

export interface EventAction {
  readonly type: "event";
  readonly level: "normal" | "warning";
  readonly reason: string;
  readonly message: string;
}

export type DeploymentAction =
  | EventAction
  | { readonly type: "create-set"; readonly set: Draft<ReplicaSet>; readonly revision: bigint }
  | { readonly type: "update-set"; readonly set: ReplicaSet; readonly from: number }
  | { readonly type: "delete-set"; readonly set: ReplicaSet }
  | { readonly type: "update-deployment"; readonly deployment: Deployment }
  | { readonly type: "write-status"; readonly deployment: Deployment }
  | { readonly type: "requeue"; readonly afterMs: number };
