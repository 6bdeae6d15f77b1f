/** admission: the plug-ins that are on by default, in the order in which they run. */
import type { KubeObject } from "../../api/index.js";
import type { Clock, Logger, MetricsRegistry, Random } from "../../base/index.js";
import type { Authorization } from "../auth/authorize.js";
import type { FieldManager } from "../contracts/field-manager.js";
import type { Registry } from "../registry/registry.js";
import type { Store } from "../storage/contract.js";
import type { AdmissionPlugin } from "../contracts/admission.js";
import type { KeptConnections } from "../outbound/kept-connections.js";
import type { WebhookCaller } from "../webhook/call.js";
import { certificateApproval, certificateSigning, subjectRestriction } from "./certificates.js";
import { defaultIngressClass, defaultStorageClass, priorityClasses } from "./classes.js";
import { dynamicAdmission } from "./dynamic/index.js";
import { limitRanger } from "./limits/limit-range.js";
import { resourceQuotas } from "./limits/resource-quota.js";
import { namespaceLifecycle } from "./namespace-lifecycle.js";
import { nodeRestriction } from "./node/restriction.js";
import { nodeTaints } from "./nodes.js";
import { eventRateLimit } from "./optional/event-rate.js";
import { imagePolicyWebhook } from "./optional/image-policy.js";
import { alwaysDeny, denyServiceExternalIps, namespaceAutoProvision, namespaceExists } from "./optional/others.js";
import { ownerReferences } from "./optional/owner-references.js";
import {
  alwaysPullImages,
  extendedResourceToleration,
  hardAntiAffinity,
  podNodeSelector,
  podTolerationRestriction,
} from "./optional/pods.js";
import { podResize, podTopology, runtimeClasses } from "./pod-runtime.js";
import { podSecurity } from "./pod-security/index.js";
import { defaultTolerations, priorities, serviceAccounts } from "./pods.js";
import type { AdmissionSettings } from "./settings/read.js";
import { attributesProtection, claimProtection, claimResize, volumeProtection } from "./volumes.js";

export interface AdmissionOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly fieldManager: FieldManager;
  readonly log: Logger;
  readonly metrics: MetricsRegistry;
  readonly authorization: Authorization;
  readonly webhooks: WebhookCaller & { readonly connections: KeptConnections };
  /** All served resources; called at each write. */
  registry(): Registry;
  /** Creates an object of the server's own, unless it exists. */
  create(object: KubeObject): Promise<unknown>;
  readonly settings: AdmissionSettings;
  readonly stopping: AbortSignal;
  /** Names of plug-ins to switch on that are off by default. */
  readonly enabled?: readonly string[];
  /** Names of plug-ins to switch off, as in kube-apiserver's `--disable-admission-plugins`. */
  readonly disabled?: readonly string[];
}

/** The plug-ins that are off by default, as upstream. */
const optional: ReadonlySet<string> = new Set([
  "AlwaysDeny",
  "AlwaysPullImages",
  "DenyServiceExternalIPs",
  "EventRateLimit",
  "ExtendedResourceToleration",
  "ImagePolicyWebhook",
  "LimitPodHardAntiAffinityTopology",
  "NamespaceAutoProvision",
  "NamespaceExists",
  "NodeRestriction",
  "OwnerReferencesPermissionEnforcement",
  "PodNodeSelector",
  "PodTolerationRestriction",
]);

/** In upstream's order. The quota plug-in comes last, so that an object that another plug-in refuses is not charged. */
export function defaultAdmission(options: AdmissionOptions): readonly AdmissionPlugin[] {
  const { store, random, authorization, settings, enabled = [], disabled = [] } = options;
  const { connections } = options.webhooks;
  const { eventRates, imagePolicy, limitedResources, mutatingUsers, validatingUsers } = settings;
  const plugins = [
    namespaceAutoProvision(store, (object) => options.create(object)),
    namespaceLifecycle(store),
    namespaceExists(store),
    hardAntiAffinity,
    limitRanger(store),
    serviceAccounts(store, random),
    nodeRestriction(store, authorization.authorizer),
    nodeTaints,
    alwaysPullImages,
    ...(imagePolicy === undefined ? [] : [imagePolicyWebhook(imagePolicy, { ...options, connections })]),
    podSecurity(store, settings.podSecurity),
    podNodeSelector(store, settings.nodeSelectors),
    priorities(store),
    priorityClasses(store),
    defaultTolerations,
    podTolerationRestriction(store, settings.tolerations),
    ...(eventRates.length === 0 ? [] : [eventRateLimit(eventRates, options.clock)]),
    extendedResourceToleration,
    defaultStorageClass(store),
    claimProtection,
    volumeProtection,
    attributesProtection,
    ownerReferences({ authorizer: authorization.authorizer, registry: () => options.registry() }),
    claimResize(store),
    runtimeClasses(store),
    certificateApproval(authorization.authorizer),
    certificateSigning(authorization.authorizer),
    subjectRestriction,
    defaultIngressClass(store),
    denyServiceExternalIps,
    podTopology(store),
    podResize(store),
    ...dynamicAdmission({ ...options, authorizer: authorization.authorizer, mutatingUsers, validatingUsers }),
    resourceQuotas({ ...options, limitedResources }),
    alwaysDeny,
  ];
  return plugins.filter(({ name }) => !disabled.includes(name) && (!optional.has(name) || enabled.includes(name)));
}
