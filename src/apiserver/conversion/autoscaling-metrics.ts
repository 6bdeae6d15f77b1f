/** Converts metrics of autoscalers between autoscaling/v2 and the flat form in annotations of autoscaling/v1. */
import type { MetricSpec, MetricStatus } from "../../api/index.js";

type Json = Readonly<Record<string, unknown>>;

/** The members without undefined ones, as in JSON. */
function of(members: Json): Json {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

export function oldMetric({ type, resource, containerResource, pods, object, external }: MetricSpec): Json {
  const amounts = (target: { readonly averageUtilization?: number; readonly averageValue?: string }): Json => ({
    targetAverageUtilization: target.averageUtilization,
    targetAverageValue: target.averageValue,
  });
  return of({
    type,
    object:
      object &&
      of({
        target: object.describedObject,
        metricName: object.metric.name,
        targetValue: object.target.value ?? "0",
        selector: object.metric.selector,
        averageValue: object.target.averageValue,
      }),
    pods:
      pods &&
      of({
        metricName: pods.metric.name,
        targetAverageValue: pods.target.averageValue ?? "0",
        selector: pods.metric.selector,
      }),
    resource: resource && of({ name: resource.name, ...amounts(resource.target) }),
    external:
      external &&
      of({
        metricName: external.metric.name,
        metricSelector: external.metric.selector,
        targetValue: external.target.value,
        targetAverageValue: external.target.averageValue,
      }),
    containerResource:
      containerResource &&
      of({
        name: containerResource.name,
        ...amounts(containerResource.target),
        container: containerResource.container,
      }),
  });
}

export function newMetric(metric: Json): Json {
  const part = (name: string): Json | undefined => metric[name] as Json | undefined;
  const [resource, container, pods] = [part("resource"), part("containerResource"), part("pods")];
  const [object, external] = [part("object"), part("external")];
  return of({
    type: metric["type"],
    object: object && newObjectMetric(object),
    pods:
      pods &&
      of({
        metric: of({ name: pods["metricName"], selector: pods["selector"] }),
        target: { type: "AverageValue", averageValue: pods["targetAverageValue"] },
      }),
    resource: resource && { name: resource["name"], target: newAmounts(resource) },
    external:
      external &&
      of({
        metric: of({ name: external["metricName"], selector: external["metricSelector"] }),
        target: of({
          type: external["targetValue"] === undefined ? "AverageValue" : "Value",
          value: external["targetValue"],
          averageValue: external["targetAverageValue"],
        }),
      }),
    containerResource: container && {
      name: container["name"],
      container: container["container"],
      target: newAmounts(container),
    },
  });
}

function newAmounts(metric: Json): Json {
  const averageUtilization = metric["targetAverageUtilization"];
  return of({
    type: averageUtilization === undefined ? "AverageValue" : "Utilization",
    averageValue: metric["targetAverageValue"],
    averageUtilization,
  });
}

/** The v1 form cannot leave the target value out: a zero beside an average means that it is absent. */
function newObjectMetric(object: Json): Json {
  const { averageValue, targetValue } = object;
  const average = averageValue !== undefined;
  return {
    describedObject: object["target"],
    target: of({
      type: average ? "AverageValue" : "Value",
      value: average && targetValue === "0" ? undefined : targetValue,
      averageValue,
    }),
    metric: of({ name: object["metricName"], selector: object["selector"] }),
  };
}

export function oldMetricStatus({ type, resource, containerResource, pods, object, external }: MetricStatus): Json {
  const amounts = (current: { readonly averageUtilization?: number; readonly averageValue?: string }): Json => ({
    currentAverageUtilization: current.averageUtilization,
    currentAverageValue: current.averageValue ?? "0",
  });
  return of({
    type,
    object:
      object &&
      of({
        target: object.describedObject,
        metricName: object.metric.name,
        currentValue: object.current.value ?? "0",
        selector: object.metric.selector,
        averageValue: object.current.averageValue,
      }),
    pods:
      pods &&
      of({
        metricName: pods.metric.name,
        currentAverageValue: pods.current.averageValue ?? "0",
        selector: pods.metric.selector,
      }),
    resource: resource && of({ name: resource.name, ...amounts(resource.current) }),
    external:
      external &&
      of({
        metricName: external.metric.name,
        metricSelector: external.metric.selector,
        currentValue: external.current.value ?? "0",
        currentAverageValue: external.current.averageValue,
      }),
    containerResource:
      containerResource &&
      of({
        name: containerResource.name,
        ...amounts(containerResource.current),
        container: containerResource.container,
      }),
  });
}

export function newMetricStatus(metric: Json): Json {
  const part = (name: string): Json | undefined => metric[name] as Json | undefined;
  const [resource, container, pods] = [part("resource"), part("containerResource"), part("pods")];
  const [object, external] = [part("object"), part("external")];
  const amounts = (one: Json): Json =>
    of({ averageValue: one["currentAverageValue"], averageUtilization: one["currentAverageUtilization"] });
  return of({
    type: metric["type"],
    object: object && {
      metric: of({ name: object["metricName"], selector: object["selector"] }),
      current: of({ value: object["currentValue"], averageValue: object["averageValue"] }),
      describedObject: object["target"],
    },
    pods: pods && {
      metric: of({ name: pods["metricName"], selector: pods["selector"] }),
      current: { averageValue: pods["currentAverageValue"] },
    },
    resource: resource && { name: resource["name"], current: amounts(resource) },
    external: external && {
      metric: of({ name: external["metricName"], selector: external["metricSelector"] }),
      current: of({ value: external["currentValue"], averageValue: external["currentAverageValue"] }),
    },
    containerResource: container && {
      name: container["name"],
      container: container["container"],
      current: amounts(container),
    },
  });
}
