/** admission: the plug-ins that are on by default, in the order in which they run. Webhooks and policies come after them. */
import type { Random } from "../../base/index.js";
import type { Store } from "../storage/storage.js";
import type { AdmissionPlugin } from "./admission.js";
import { namespaceLifecycle } from "./namespace-lifecycle.js";
import {
  claimProtection,
  defaultIngressClass,
  defaultStorageClass,
  nodeTaints,
  priorityClasses,
  attributesProtection,
  volumeProtection,
} from "./others.js";
import { defaultTolerations, priorities, serviceAccounts } from "./pods.js";

/** `disabled` are names of plug-ins, as kube-apiserver's flag takes them. */
export function defaultAdmission(
  store: Store,
  random: Random,
  disabled: readonly string[] = [],
): readonly AdmissionPlugin[] {
  const plugins = [
    namespaceLifecycle(store),
    serviceAccounts(store, random),
    nodeTaints,
    priorities(store),
    priorityClasses(store),
    defaultTolerations,
    defaultStorageClass(store),
    claimProtection,
    volumeProtection,
    attributesProtection,
    defaultIngressClass(store),
  ];
  return plugins.filter(({ name }) => !disabled.includes(name));
}
