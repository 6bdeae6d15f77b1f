/** Objects of ordinary size for benchmarks. */

/** A Deployment with four containers, as a server gives it. */
export function deployment(): { readonly metadata: object; readonly spec: object; readonly [field: string]: unknown } {
  const labels = { app: "web", tier: "front", "app.kubernetes.io/part-of": "shop" };
  const container = (name: string): object => ({
    name,
    image: `registry.example.com/${name}:1.2.3`,
    command: ["run", "--now"],
    env: Array.from({ length: 12 }, (_, i) => ({ name: `VARIABLE_${i}`, value: `value ${i}` })),
    ports: [
      { name: "http", containerPort: 8080, protocol: "TCP" },
      { name: "metrics", containerPort: 9090, protocol: "TCP" },
    ],
    resources: { limits: { cpu: "1", memory: "1Gi" }, requests: { cpu: "100m", memory: "128Mi" } },
    livenessProbe: {
      httpGet: { path: "/live", port: 8080, scheme: "HTTP" },
      periodSeconds: 10,
      timeoutSeconds: 1,
      successThreshold: 1,
      failureThreshold: 3,
    },
    volumeMounts: [{ name: "config", mountPath: "/etc/config", readOnly: true }],
    terminationMessagePath: "/dev/termination-log",
    terminationMessagePolicy: "File",
    imagePullPolicy: "IfNotPresent",
  });
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web", namespace: "default", labels, annotations: { note: "1" } },
    spec: {
      replicas: 3,
      revisionHistoryLimit: 10,
      progressDeadlineSeconds: 600,
      selector: { matchLabels: labels },
      strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: "25%", maxUnavailable: "25%" } },
      template: {
        metadata: { labels },
        spec: {
          containers: ["c1", "c2", "c3", "c4"].map(container),
          volumes: [{ name: "config", configMap: { name: "config", defaultMode: 420 } }],
          restartPolicy: "Always",
          dnsPolicy: "ClusterFirst",
          schedulerName: "default-scheduler",
          securityContext: {},
          terminationGracePeriodSeconds: 30,
        },
      },
    },
    status: {},
  };
}
