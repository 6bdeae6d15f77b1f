/** An embedded server with built-in controllers on it, for scenarios: in this process, on the given clock. */
import type { Clock } from "../../src/base/index.js";
import type { ControllerDescriptor } from "../../src/builtin/index.js";
import { type ClusterOptions, startCluster, type TestCluster } from "../../src/testing/cluster.js";

export function startControllers(
  controllers: readonly (string | ControllerDescriptor)[],
  options: Pick<ClusterOptions<Clock>, "clock" | "oneServer" | "faults"> = {},
): Promise<TestCluster> {
  return startCluster<Clock>({ ...options, controllers });
}
