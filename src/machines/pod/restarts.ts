/** Decides whether and when a container is restarted, by the kubelet's rules. */
import type { Container, Pod } from "../../api/index.js";

/** A run of this length clears the crashes before it. */
export const resetAfterMs = 600_000;

const firstDelayMs = 10_000;
const longestDelayMs = 300_000;

/** The time for which ErrImagePull shows before the back-off does. */
export const shortPauseMs = 1_000;

/** The first restart is immediate; then 10 s, 20 s, 40 s … 300 s. */
export function crashDelayMs(crashes: number): number {
  return crashes === 0 ? 0 : Math.min(firstDelayMs * 2 ** (crashes - 1), longestDelayMs);
}

export function pullDelayMs(failures: number): number {
  return Math.min(firstDelayMs * 2 ** failures, longestDelayMs);
}

/**
 * A container's own policy and rules take precedence over the pod's; init containers other than sidecars run until they
 * succeed.
 */
export function restarts(
  pod: Pod,
  container: Container,
  { isInit, exitCode }: { readonly isInit: boolean; readonly exitCode: number },
): boolean {
  const rule = container.restartPolicyRules?.find(({ exitCodes }) => {
    if (exitCodes === undefined) return false;
    return (exitCodes.values ?? []).includes(exitCode) === (exitCodes.operator === "In");
  });
  if (rule !== undefined) return rule.action === "Restart";
  const isSidecar = isInit && container.restartPolicy === "Always";
  if (isInit && !isSidecar && exitCode === 0) return false;
  switch (container.restartPolicy ?? pod.spec?.restartPolicy ?? "Always") {
    case "Always":
      return true;
    case "OnFailure":
      return exitCode !== 0;
    default:
      return false;
  }
}
