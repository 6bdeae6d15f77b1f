/** Defaults of a container, in pods and in templates. */
import type {
  Container,
  EnvVar,
  HTTPGetAction,
  Lifecycle,
  ObjectFieldSelector,
  Probe,
} from "../../../../../api/index.js";
import { changed, each, filled, having, roundedRequirements } from "../../rules/fill.js";

const terminationMessagePath = "/dev/termination-log";

/** The longest name of a repository with its registry; a longer name has no readable tag. */
const longestName = 255;

/** `Always` for the tag `latest`, and for an image with neither tag nor digest. */
export function pullPolicyFor(image: string): "Always" | "IfNotPresent" {
  const [named = "", digest] = image.split("@", 2);
  const name = named.slice(named.lastIndexOf("/") + 1);
  const colon = name.indexOf(":");
  const tag = colon === -1 ? (digest === undefined ? "latest" : "") : name.slice(colon + 1);
  const path = named.includes("/") ? named : `library/${named}`;
  return tag === "latest" && path.length <= longestName && isImage(named) ? "Always" : "IfNotPresent";
}

/** A name that is not a valid image reference has no tag. */
function isImage(image: string): boolean {
  return /^(?:[a-zA-Z0-9][a-zA-Z0-9.-]*(?::[0-9]+)?\/)?[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*)*(?::[\w][\w.-]{0,127})?$/.test(
    image,
  );
}

export function fieldSelectorDefaults(selector: ObjectFieldSelector): ObjectFieldSelector {
  return filled(selector, { apiVersion: "v1" });
}

function environmentDefaults(variable: EnvVar): EnvVar {
  return changed(variable, "valueFrom", (source) =>
    changed(changed(source, "fieldRef", fieldSelectorDefaults), "fileKeyRef", (file) =>
      filled(file, { optional: false }),
    ),
  );
}

function httpGetDefaults(action: HTTPGetAction): HTTPGetAction {
  return filled(action, { path: "/", scheme: "HTTP" });
}

function probeDefaults(probe: Probe): Probe {
  const timed = filled(probe, { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 });
  return changed(changed(timed, "httpGet", httpGetDefaults), "grpc", (grpc) => filled(grpc, { service: "" }));
}

function lifecycleDefaults(lifecycle: Lifecycle): Lifecycle {
  const started = changed(lifecycle, "postStart", (hook) => changed(hook, "httpGet", httpGetDefaults));
  return changed(started, "preStop", (hook) => changed(hook, "httpGet", httpGetDefaults));
}

/** The feature gate of stop signals is off: they are dropped, together with a lifecycle that has nothing else. */
function withoutStopSignal(container: Container): Container {
  const { stopSignal, ...rest } = container.lifecycle ?? {};
  if (stopSignal === undefined || stopSignal === null) return container;
  return having(container, "lifecycle", Object.keys(rest).length === 0 ? undefined : rest);
}

export function containerDefaults<T extends Container>(container: T): T {
  let result: Container = filled(container as Container, {
    imagePullPolicy: pullPolicyFor(container.image ?? ""),
    terminationMessagePath,
    terminationMessagePolicy: "File",
  });
  result = changed(result, "ports", (ports) => each(ports, (port) => filled(port, { protocol: "TCP" })));
  result = changed(result, "env", (variables) => each(variables, environmentDefaults));
  result = changed(result, "resources", roundedRequirements);
  result = changed(result, "livenessProbe", probeDefaults);
  result = changed(result, "readinessProbe", probeDefaults);
  result = changed(result, "startupProbe", probeDefaults);
  return changed(withoutStopSignal(result), "lifecycle", lifecycleDefaults) as T;
}
