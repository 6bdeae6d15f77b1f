/** A day of load on a Deployment with an autoscaler, on virtual time: takes a load curve, gives the scale over the day. */
import { Deployment } from "coxswain";
import { HorizontalPodAutoscaler } from "coxswain/api";
import { podAutoscaler } from "coxswain/builtin";
import { startCluster } from "coxswain/testing";

/** The state at one moment of the day. */
export interface Moment {
  readonly hour: number;
  readonly replicas: number;
  /** The utilization that the autoscaler saw, in percent of the request; undefined before its first look. */
  readonly utilization: number | undefined;
}

export interface DayOptions {
  /** The CPU that all replicas use together, as simulated nodes read it. */
  readonly load: string;
  /** Minutes between two moments. */
  readonly everyMinutes: number;
  /** Seconds between two looks of the autoscaler; 30 by default. */
  readonly syncSeconds?: number;
}

const namespace = "default";
const labels = { app: "web" };

/** Each replica requests half a core, and should use half of that. */
export async function playDay({ load, everyMinutes, syncSeconds = 30 }: DayOptions): Promise<readonly Moment[]> {
  const controllers = ["deployment", "replicaset", podAutoscaler({ syncPeriodMs: syncSeconds * 1_000 })];
  await using cluster = await startCluster({ clock: "virtual", controllers, nodes: 1 });
  const { client, clock } = cluster;
  const resources = { requests: { cpu: "500m" } };
  const containers = [{ name: "web", image: "web", resources }];
  const template = { metadata: { labels, annotations: { "coxswain.dev/cpu": load } }, spec: { containers } };
  const deployments = client.resource(Deployment, { namespace });
  await deployments.create({
    metadata: { name: "web" },
    spec: { replicas: 2, selector: { matchLabels: labels }, template },
  });
  const autoscalers = client.resource(HorizontalPodAutoscaler, { namespace });
  await autoscalers.create({
    metadata: { name: "web" },
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
      minReplicas: 2,
      maxReplicas: 24,
      metrics: [
        { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } } },
      ],
    },
  });
  const moments: Moment[] = [];
  for (let minutes = 0; minutes < 24 * 60; minutes += everyMinutes) {
    await clock.advance(everyMinutes * 60_000);
    const { spec } = await deployments.get("web");
    const { status } = await autoscalers.get("web");
    moments.push({
      hour: (minutes + everyMinutes) / 60,
      replicas: spec?.replicas ?? 0,
      utilization: status?.currentMetrics?.[0]?.resource?.current.averageUtilization,
    });
  }
  return moments;
}

/** The day as lines for a terminal: a bar of replicas for each moment. */
export function plotOf(moments: readonly Moment[]): readonly string[] {
  return moments.map(({ hour, replicas, utilization }) => {
    const time = `${String(Math.floor(hour)).padStart(2, "0")}:${String(Math.round((hour % 1) * 60)).padStart(2, "0")}`;
    const percent = utilization === undefined ? "   ?" : `${String(utilization).padStart(3)}%`;
    return `${time} ${percent} ${"█".repeat(replicas)} ${replicas}`;
  });
}
