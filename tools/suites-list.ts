/** The suites of other projects that `npm run suites` compares: Go modules at fixed versions, and their packages that start a server. */

export interface Suite {
  readonly name: string;
  /** `module@version`, as `go mod download` takes it. */
  readonly module: string;
  /** Folders of the module; "." is the module itself. */
  readonly packages: readonly string[];
  /** For a suite that finds its cluster by KUBECONFIG: the folder with the definitions that must be there. */
  readonly definitions?: string;
}

export const suites: readonly Suite[] = [
  {
    name: "controller-runtime",
    module: "sigs.k8s.io/controller-runtime@v0.24.1",
    packages: [
      "pkg/internal/testing/controlplane",
      "pkg/envtest",
      "pkg/client",
      "pkg/client/apiutil",
      "pkg/cache",
      "pkg/builder",
      "pkg/controller",
      "pkg/internal/controller",
      "pkg/manager",
      "pkg/webhook",
      "pkg/source",
      "pkg/internal/source",
      "pkg/cluster",
      "pkg/recorder",
      "pkg/internal/recorder",
      "pkg/controller/controllerutil",
    ],
  },
  { name: "flux-ssa", module: "github.com/fluxcd/pkg/ssa@v0.76.2", packages: ["."] },
  { name: "kro", module: "github.com/kubernetes-sigs/kro@v0.9.4", packages: ["test/integration/suites/core"] },
  {
    name: "jobset",
    module: "sigs.k8s.io/jobset@v0.10.1",
    packages: ["test/integration/controller", "test/integration/webhook"],
  },
  {
    name: "karpenter",
    module: "sigs.k8s.io/karpenter@v1.8.0",
    packages: [
      "pkg/apis/v1",
      "pkg/controllers/state",
      "pkg/controllers/nodepool/hash",
      "pkg/controllers/nodepool/readiness",
      "pkg/controllers/nodepool/validation",
      "pkg/controllers/nodepool/counter",
      "pkg/controllers/nodeclaim/expiration",
      "pkg/controllers/nodeclaim/consistency",
      "pkg/controllers/nodeclaim/disruption",
      "pkg/controllers/nodeclaim/garbagecollection",
      "pkg/controllers/nodeclaim/podevents",
      "pkg/controllers/nodeclaim/lifecycle",
      "pkg/controllers/node/health",
      "pkg/controllers/node/termination",
      "pkg/controllers/metrics/node",
      "pkg/controllers/metrics/pod",
      "pkg/controllers/provisioning",
      "pkg/controllers/disruption",
      "pkg/utils/node",
      "pkg/utils/pdb",
    ],
  },
  {
    name: "cluster-api",
    module: "sigs.k8s.io/cluster-api@v1.13.6",
    packages: [
      "internal/controllers/machine",
      "internal/controllers/machineset",
      "internal/controllers/machinedeployment",
      "internal/controllers/cluster",
      "util/patch",
      "controllers/external",
      "controllers/remote",
    ],
  },
  {
    name: "gateway-api",
    module: "sigs.k8s.io/gateway-api@v1.4.0",
    packages: ["pkg/test/cel"],
    definitions: "config/crd/standard",
  },
  {
    name: "lws",
    module: "sigs.k8s.io/lws@v0.7.0",
    packages: ["test/integration/webhooks", "test/integration/controllers"],
  },
  {
    name: "kueue",
    module: "sigs.k8s.io/kueue@v0.14.0",
    packages: ["test/integration/singlecluster/webhook/core", "test/integration/singlecluster/scheduler/podsready"],
  },
];
