// Generated from the published Kubernetes sources by `npm run generate`. Do not edit.
import type { Status } from "../status.js";
import type { UserInfo } from "./authentication-v1.js";
import type { GroupVersionKind, GroupVersionResource } from "./meta-v1.js";

export type Operation = "CONNECT" | "CREATE" | "DELETE" | "UPDATE" | (string & {});

export type PatchType = "JSONPatch" | (string & {});

export interface AdmissionRequest {
  readonly uid: string;
  readonly kind: GroupVersionKind;
  readonly resource: GroupVersionResource;
  readonly subResource?: string;
  readonly requestKind?: GroupVersionKind;
  readonly requestResource?: GroupVersionResource;
  readonly requestSubResource?: string;
  readonly name?: string;
  readonly namespace?: string;
  readonly operation: Operation;
  readonly userInfo: UserInfo;
  readonly object?: Readonly<Record<string, unknown>>;
  readonly oldObject?: Readonly<Record<string, unknown>>;
  readonly dryRun?: boolean;
  readonly options?: Readonly<Record<string, unknown>>;
}

export interface AdmissionResponse {
  readonly uid: string;
  readonly allowed: boolean;
  readonly status?: Status;
  readonly patch?: string;
  readonly patchType?: PatchType;
  readonly auditAnnotations?: Readonly<Record<string, string>>;
  readonly warnings?: readonly string[];
}

export interface AdmissionReview {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly request?: AdmissionRequest;
  readonly response?: AdmissionResponse;
}
