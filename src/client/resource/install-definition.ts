/** Installs a custom kind on a server. */
import { defined } from "../../base/defined.js";
import { CustomResourceDefinition } from "../../api/generated/apiextensions-v1.js";
import type { Client } from "../client.js";
import type { WaitOptions } from "./wait-for.js";

/** A field manager of its own, so that fields that a newer program no longer sets are removed. */
const fieldManager = "coxswain-definitions";

/**
 * Creates or updates the definition, and resolves with the server's version of it when the kind is served. Rejects if
 * the server refuses it, or if another kind has its names already.
 */
export async function installDefinition(
  client: Pick<Client, "resource">,
  definition: CustomResourceDefinition,
  options: WaitOptions = {},
): Promise<CustomResourceDefinition> {
  // a caller without types may give the kind itself
  const { metadata } = Object(definition) as Partial<CustomResourceDefinition>;
  if (typeof metadata?.name !== "string")
    throw new TypeError("installDefinition takes a CustomResourceDefinition; crdOf(Kind) gives that of a kind");
  const definitions = client.resource(CustomResourceDefinition);
  const { name } = metadata;
  const { signal } = options;
  await definitions.apply(definition, { fieldManager, force: true, ...defined({ signal }) });
  const settled = await definitions.waitFor(
    name,
    (found) => isTrue(found, "Established") || hasCondition(found, "NamesAccepted", "False"),
    options,
  );
  if (settled === undefined || !isTrue(settled, "Established")) {
    const why = settled?.status?.conditions?.find(({ type }) => type === "NamesAccepted")?.message;
    throw new Error(`the server does not serve ${name}: ${why ?? "its definition is gone"}`);
  }
  return settled;
}

const isTrue = (definition: CustomResourceDefinition | undefined, type: string): boolean =>
  hasCondition(definition, type, "True");

function hasCondition(definition: CustomResourceDefinition | undefined, type: string, status: string): boolean {
  return definition?.status?.conditions?.some((one) => one.type === type && one.status === status) ?? false;
}
