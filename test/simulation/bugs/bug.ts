/** A bug of a known class in a small controller, with its mended twin. */
import { defined } from "../../../src/base/defined.js";
import type { ControllerOptions } from "../../../src/controller/index.js";
import { ConfigMap, type KubeObject, newControllerRef, type OwnerReference, Secret } from "../../../src/api/index.js";
import { defaultOracles, type Oracle, type ScenarioTools, type SimulateOptions } from "../../../src/testing/index.js";
import { managerWith } from "../operators.js";

export interface Bug {
  readonly name: string;
  /** The bug and its consequence, in one sentence. */
  readonly about: string;
  /** Where the class of bugs is described in public. */
  readonly source: string;
  /** The controller of ConfigMaps under a Manager, with the bug or mended; or else the whole operator. */
  readonly controller?: (mended: boolean) => ControllerOptions<ConfigMap>;
  readonly operator?: (mended: boolean) => SimulateOptions["operator"];
  readonly scenario?: (tools: ScenarioTools) => Promise<void>;
  readonly setup?: (tools: ScenarioTools) => Promise<void>;
  readonly world?: SimulateOptions["world"];
  readonly replicas?: number;
  readonly reset?: () => void;
  readonly ignore?: readonly string[];
  /** Invariants that the bug breaks; the defaults see nothing of it. */
  readonly oracles?: readonly Oracle[];
}

/** The options that play the bug, or its mended twin. */
export function playing(bug: Bug, mended: boolean): SimulateOptions {
  const { controller, operator, scenario = usual, setup, world, replicas, reset, ignore, oracles } = bug;
  return {
    operator:
      operator?.(mended) ??
      ((tools) => {
        if (controller === undefined) throw new Error(`${bug.name} has neither a controller nor an operator`);
        return managerWith(tools, controller(mended));
      }),
    scenario,
    ...defined({ setup, world, replicas, reset, ignore }),
    ...(oracles && { oracles: [...defaultOracles, ...oracles] }),
  };
}

export const namespace = "default";

const sieve = "Sieve (OSDI 2022), bugs found by";
export const intermediate = `${sieve} intermediate-state perturbation: a crash between two writes`;
export const stale = `${sieve} stale-state perturbation: a view of the past`;
export const unobserved = `${sieve} unobserved-state perturbation: states between two looks`;
export const acto = "Acto (SOSP 2023), its list of misoperations";

/** The users' part in most scenarios: they create two objects and change one. */
export async function usual({ client, sleep }: ScenarioTools): Promise<void> {
  const maps = client.resource(ConfigMap, { namespace });
  await maps.create({ metadata: { name: "a" }, data: { size: "1" } });
  await maps.create({ metadata: { name: "b" }, data: { size: "2" } });
  await sleep(2_000);
  await maps.patch("a", { merge: { data: { size: "2" } } });
  await sleep(2_000);
}

export const ownedBy = (owner: KubeObject): readonly OwnerReference[] => [newControllerRef(owner)];

interface SecretToMake {
  readonly apiVersion: "v1";
  readonly kind: "Secret";
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly ownerReferences: readonly OwnerReference[];
  };
  readonly stringData: Readonly<Record<string, string>>;
}

/** A Secret of the ConfigMap. */
export const secretOf = (owner: ConfigMap, name = owner.metadata.name, data = owner.data ?? {}): SecretToMake => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name, namespace, ownerReferences: ownedBy(owner) },
  stringData: data,
});

export const forMaps = { for: ConfigMap, owns: [Secret] } as const;

export const sizeOf = ({ data }: ConfigMap): number => Number(data?.["size"] ?? 0);
