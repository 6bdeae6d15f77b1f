/** Simulated pods in few words, and their lives up to a time. For the tests of the kubelet. */
import type { Container, Pod, PodSpec } from "../../src/api/index.js";
import { behaviourOf } from "../../src/machines/pod/behaviour.js";
import { advance, begin, type Circumstances, type LifeStep } from "../../src/machines/pod/life.js";
import { podStatusOf } from "../../src/machines/pod/status.js";

export const second = 1_000;
export const web: Container = { name: "web", image: "nginx" };

export interface Change {
  readonly spec?: Partial<PodSpec>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly metadata?: Partial<Pod["metadata"]>;
}

export function podWith({ spec, annotations = {}, metadata }: Change = {}): Pod {
  const prefixed = Object.fromEntries(Object.entries(annotations).map(([key, text]) => [`coxswain.dev/${key}`, text]));
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "p", namespace: "default", uid: "u", annotations: prefixed, ...metadata },
    spec: { containers: [web], restartPolicy: "Always", ...spec },
  };
}

export const at = (pod: Pod, now: number, speed = 1): Circumstances => ({
  pod,
  now,
  speed,
  behaviourOf: (container) => behaviourOf(pod, container, { rules: [], speed, followCommands: true }),
});

/** The pod from its begin at 0 to the given time, looked at whenever something is due. */
export function live(pod: Pod, untilMs: number, speed = 1): LifeStep {
  let step = advance(begin({ pod, now: 0 }), at(pod, 0, speed));
  while (step.dueAt <= untilMs) step = next(step, at(pod, step.dueAt, speed));
  return next(step, at(pod, untilMs, speed));
}

export const next = (step: LifeStep, circumstances: Circumstances): LifeStep => {
  const after = advance(step.life, circumstances);
  return { ...after, happenings: [...step.happenings, ...after.happenings] };
};

export const statusAt = (pod: Pod, ms: number, speed = 1): ReturnType<typeof podStatusOf> =>
  podStatusOf({ ...at(pod, ms, speed), life: live(pod, ms, speed).life, hostIP: "172.18.0.1", podIP: "10.244.1.2" });
