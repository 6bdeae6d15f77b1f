/** Has a server serve a custom kind. From programs that bring their kinds with them; uses the resource client. */
import { CustomResourceDefinition } from "../../api/generated/apiextensions-v1.js";
import type { Client } from "../client.js";
import type { WaitOptions } from "./wait-for.js";

/** Of its own, so that what a newer program no longer says goes. */
const fieldManager = "coxswain-definitions";

/**
 * Creates the definition, or changes the one that is there to it, and resolves when the kind is served: with the definition as the
 * server has it. Rejects if the server refuses it, or if another kind has its names already.
 */
export async function installDefinition(
  client: Pick<Client, "resource">,
  definition: CustomResourceDefinition,
  options: WaitOptions = {},
): Promise<CustomResourceDefinition> {
  const definitions = client.resource(CustomResourceDefinition);
  const { name } = definition.metadata;
  const { signal } = options;
  await definitions.apply(definition, { fieldManager, force: true, ...(signal === undefined ? {} : { signal }) });
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
