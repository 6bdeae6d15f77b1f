import { expect, test } from "vitest";
import type { Pod, Service } from "../../api/index.js";
import { TriggerTimes, triggerTimeAnnotation, withTriggerTime } from "./trigger-times.js";

const service: Service = {
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "web", namespace: "default", creationTimestamp: "2026-01-01T00:00:10Z" },
};

const podReadySince = (name: string, lastTransitionTime: string): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace: "default" },
  status: { conditions: [{ type: "Ready", status: "True", lastTransitionTime }] },
});

test("the time told is the service's creation, then the oldest change since the last look, then none", () => {
  const times = new TriggerTimes();
  const [early, late] = [podReadySince("a", "2026-01-01T00:00:20Z"), podReadySince("b", "2026-01-01T00:00:30Z")];
  expect(times.next("default/web", service, [])).toBe("2026-01-01T00:00:10Z");
  expect(times.next("default/web", service, [late, early])).toBe("2026-01-01T00:00:20Z");
  expect(times.next("default/web", service, [late, early])).toBeUndefined();
  const again = podReadySince("a", "2026-01-01T00:01:00Z");
  expect(times.next("default/web", service, [late, again])).toBe("2026-01-01T00:01:00Z");
  times.forget("default/web");
  expect(times.next("default/web", service, [again])).toBe("2026-01-01T00:00:10Z");
});

test("an object that is written without a cause in time says so by having no annotation", () => {
  expect(withTriggerTime({ keep: "me", [triggerTimeAnnotation]: "before" }, undefined)).toEqual({ keep: "me" });
  expect(withTriggerTime(undefined, "now")).toEqual({ [triggerTimeAnnotation]: "now" });
});
