/** Valid objects of the kinds that have no cases of their own. To the generated tests. */
import type { Cases } from "../differential.js";

const matchEverything = { resourceRules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["pods"] }] };

export const extraKinds: readonly Cases[] = [
  {
    apiVersion: "events.k8s.io/v1",
    kind: "Event",
    plural: "events",
    base: {
      eventTime: "2024-01-01T00:00:00.000000Z",
      reportingController: "example.com/a",
      reportingInstance: "a",
      action: "A",
      reason: "B",
      type: "Normal",
      regarding: { kind: "Pod", name: "a", namespace: "kinds-conformance" },
    },
  },
  {
    apiVersion: "autoscaling/v1",
    kind: "HorizontalPodAutoscaler",
    plural: "horizontalpodautoscalers",
    base: { spec: { maxReplicas: 3, scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "a" } } },
  },
  {
    apiVersion: "apiregistration.k8s.io/v1",
    kind: "APIService",
    plural: "apiservices",
    clusterWide: true,
    base: {
      metadata: { name: "v1.generated.example.com" },
      spec: {
        group: "generated.example.com",
        version: "v1",
        groupPriorityMinimum: 1000,
        versionPriority: 15,
        service: { name: "a", namespace: "b" },
        insecureSkipTLSVerify: true,
      },
    },
  },
  {
    apiVersion: "networking.k8s.io/v1",
    kind: "IPAddress",
    plural: "ipaddresses",
    clusterWide: true,
    base: {
      metadata: { name: "192.168.77.1" },
      spec: { parentRef: { resource: "services", name: "a", namespace: "b" } },
    },
  },
  {
    apiVersion: "networking.k8s.io/v1",
    kind: "ServiceCIDR",
    plural: "servicecidrs",
    clusterWide: true,
    base: { spec: { cidrs: ["192.168.78.0/24"] } },
  },
  {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingAdmissionPolicy",
    plural: "validatingadmissionpolicies",
    clusterWide: true,
    base: { spec: { matchConstraints: matchEverything, validations: [{ expression: "true" }] } },
  },
  {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingAdmissionPolicyBinding",
    plural: "validatingadmissionpolicybindings",
    clusterWide: true,
    base: { spec: { policyName: "no-such-policy", validationActions: ["Deny"] } },
  },
  {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "MutatingAdmissionPolicy",
    plural: "mutatingadmissionpolicies",
    clusterWide: true,
    base: {
      spec: {
        matchConstraints: matchEverything,
        reinvocationPolicy: "Never",
        mutations: [{ patchType: "ApplyConfiguration", applyConfiguration: { expression: "Object{}" } }],
      },
    },
  },
  {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "MutatingAdmissionPolicyBinding",
    plural: "mutatingadmissionpolicybindings",
    clusterWide: true,
    base: { spec: { policyName: "no-such-policy" } },
  },
];
