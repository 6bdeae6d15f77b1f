/** Taints of new nodes. */
import type { Node } from "../../api/index.js";
import type { AdmissionPlugin } from "../contracts/admission.js";
import { onCreate } from "./on-create.js";

const notReady = { key: "node.kubernetes.io/not-ready", effect: "NoSchedule" } as const;

/** TaintNodesByCondition: a new node is tainted, so that no pod is placed on it before it reports ready. */
export const nodeTaints: AdmissionPlugin = onCreate(
  "TaintNodesByCondition",
  { group: "", plural: "nodes" },
  (object) => {
    const node = object as Node;
    const taints = node.spec?.taints ?? [];
    if (taints.some(({ key, effect }) => key === notReady.key && effect === notReady.effect)) return node;
    return { ...node, spec: { ...node.spec, taints: [...taints, notReady] } } as Node;
  },
);
