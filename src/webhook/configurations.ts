/** The objects that make the server ask: takes webhooks and their address, gives configurations and parts of definitions. Pure. */
import {
  type CustomResourceDefinition,
  type MutatingWebhook,
  type MutatingWebhookConfiguration,
  type ResourceType,
  type RuleWithOperations,
  type ValidatingWebhook,
  type ValidatingWebhookConfiguration,
  type WebhookClientConfig,
} from "../api/index.js";
import { defined } from "../base/defined.js";
import type { Asking } from "./admission.js";
import type { AnyWebhook, WebhookService } from "./options.js";

export const conversionPath = "/convert";

/** The address of the server as the API server finds it. */
export type Address = { readonly service: WebhookService } | { readonly url: string };

const groupName = ({ group }: ResourceType): string => (group === "" ? "core" : group);

/** Unique among the webhooks of a program. */
export function webhookPath({ for: type, name = "" }: AnyWebhook, asking: Asking): string {
  const parts = [asking, groupName(type), type.version, type.plural, name].filter((part) => part !== "");
  return `/${parts.join("/")}`;
}

/** Asked about creations and updates alone, or about deletions too. */
export const doesDefault = (webhook: AnyWebhook): boolean => webhook.default !== undefined;
export const doesValidate = ({ validate, validateDelete, warn }: AnyWebhook): boolean =>
  validate !== undefined || validateDelete !== undefined || warn !== undefined;

/** An empty `caBundle` is left to others, e.g. to cert-manager. */
function clientConfig(address: Address, path: string, caBundle: string): WebhookClientConfig {
  const trust = caBundle === "" ? {} : { caBundle: Buffer.from(caBundle).toString("base64") };
  if ("url" in address) return { url: `${address.url}${path}`, ...trust };
  const { name, namespace, port = 443 } = address.service;
  return { service: { name, namespace, port, path }, ...trust };
}

function rulesOf(
  { for: type, operations, subresources = [], ...webhook }: AnyWebhook,
  asking: Asking,
): RuleWithOperations {
  const writes = operations ?? ["CREATE", "UPDATE"];
  const judgesWrites = asking === "default" || webhook.validate !== undefined || webhook.warn !== undefined;
  const deletes = asking === "validate" && webhook.validateDelete !== undefined;
  const { group, version, plural, scope } = type;
  return {
    apiGroups: [group],
    apiVersions: [version],
    resources: [plural, ...subresources.map((one) => `${plural}/${one}`)],
    operations: [...(judgesWrites ? writes : []), ...(deletes ? ["DELETE" as const] : [])],
    scope: scope === "Cluster" ? "Cluster" : "Namespaced",
  };
}

/** Webhooks are told the version that they are written for, whatever the client sent. */
function entryOf(
  webhook: AnyWebhook,
  asking: Asking,
  where: { address: Address; caBundle: string },
): ValidatingWebhook {
  const { for: type, name, matchConditions, namespaceSelector, objectSelector } = webhook;
  const { failurePolicy = "Fail", timeoutSeconds = 10 } = webhook;
  return {
    name: [asking, name, type.plural, groupName(type)].filter((part) => part !== undefined).join("."),
    admissionReviewVersions: ["v1"],
    sideEffects: "None",
    matchPolicy: "Equivalent",
    failurePolicy,
    timeoutSeconds,
    clientConfig: clientConfig(where.address, webhookPath(webhook, asking), where.caBundle),
    rules: [rulesOf(webhook, asking)],
    ...defined({ matchConditions, namespaceSelector, objectSelector }),
  };
}

const apiVersion = "admissionregistration.k8s.io/v1";

/** A configuration without webhooks is not made. */
export function configurationsOf(
  name: string,
  webhooks: readonly AnyWebhook[],
  where: { readonly address: Address; readonly caBundle: string },
): { readonly mutating?: MutatingWebhookConfiguration; readonly validating?: ValidatingWebhookConfiguration } {
  const metadata = { name };
  const mutating = webhooks.filter(doesDefault).map((one) => entryOf(one, "default", where) as MutatingWebhook);
  const validating = webhooks.filter(doesValidate).map((one) => entryOf(one, "validate", where));
  return {
    ...(mutating.length === 0
      ? {}
      : { mutating: { apiVersion, kind: "MutatingWebhookConfiguration", metadata, webhooks: mutating } }),
    ...(validating.length === 0
      ? {}
      : { validating: { apiVersion, kind: "ValidatingWebhookConfiguration", metadata, webhooks: validating } }),
  };
}

/** The part of a definition that makes the server ask for conversions; the rest of the definition is left as it is. */
export function conversionPart(
  { plural, group }: ResourceType,
  { address, caBundle }: { readonly address: Address; readonly caBundle: string },
): CustomResourceDefinition {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      conversion: {
        strategy: "Webhook",
        webhook: {
          conversionReviewVersions: ["v1"],
          clientConfig: clientConfig(address, conversionPath, caBundle),
        },
      },
    },
  } as unknown as CustomResourceDefinition;
}
