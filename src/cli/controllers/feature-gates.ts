/** `--feature-gates`: controllers that run only where their gate is open, as in kube-controller-manager. */
import { InvalidArgumentError, Option } from "commander";
import { type ControllerDescriptor, storageMigrator, trustBundles } from "../../builtin/index.js";

/** The gates that are closed by default, with the controllers behind them. */
const gates: ReadonlyMap<string, ControllerDescriptor> = new Map([
  ["ClusterTrustBundle", trustBundles],
  ["StorageVersionMigrator", storageMigrator],
]);

export interface GateFlags {
  /** The names of the open gates. */
  readonly featureGates?: readonly string[];
}

export const featureGatesOption = (): Option =>
  new Option(
    "--feature-gates <list>",
    `gates that are closed by default, name=true with commas between: ${[...gates.keys()].join(", ")}`,
  ).argParser((text: string): readonly string[] =>
    text.split(",").flatMap((part) => {
      const [, name = "", value] = /^(\w+)=(true|false)$/.exec(part) ?? [];
      if (!gates.has(name)) {
        throw new InvalidArgumentError(`"${part}" is not name=true with a name of: ${[...gates.keys()].join(", ")}.`);
      }
      return value === "true" ? [name] : [];
    }),
  );

export function withFeatureGates(
  controllers: readonly ControllerDescriptor[],
  { featureGates = [] }: GateFlags,
): readonly ControllerDescriptor[] {
  const gated = featureGates.flatMap((name) => gates.get(name) ?? []);
  return controllers.map((one) => gated.find(({ name }) => name === one.name) ?? one);
}
