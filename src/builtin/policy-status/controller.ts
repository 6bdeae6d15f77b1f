/** The policy status controller: tells in a policy's status which of its expressions do not fit the types of its objects. */
import { parseGroupVersion, ValidatingAdmissionPolicy } from "../../api/index.js";
import type { Client } from "../../client/index.js";
import type { BuiltInController, ControllerContext, DescribedKind, PolicyKinds } from "../kit/context.js";
import { objectLoop } from "../kit/loops.js";
import { namedKinds, type NamedKind } from "./kinds.js";

const fieldManager = "validatingadmissionpolicy-status";

type Kind = Pick<NamedKind, "group" | "version" | "kind">;

export function policyStatusController(context: ControllerContext): BuiltInController | undefined {
  const { policyWarnings } = context;
  if (policyWarnings === undefined) return undefined;
  const policies = context.informers.informer(ValidatingAdmissionPolicy);
  const loop = objectLoop(context, policies, {
    name: fieldManager,
    workers: 5,
    async sync(policy, { key: name, client, signal }) {
      const { generation = 0 } = policy.metadata;
      if (generation <= (policy.status?.observedGeneration ?? 0)) return;
      const expressionWarnings = policyWarnings(policy, await kindsOf(policy, context.client, signal));
      const typeChecking = expressionWarnings.length === 0 ? {} : { expressionWarnings };
      await client
        .resource(ValidatingAdmissionPolicy)
        .status.apply(
          { metadata: { name }, status: { observedGeneration: generation, typeChecking } },
          { fieldManager, force: true },
        );
    },
  });
  loop.watch(policies, (change, wake) => {
    if (change.type !== "deleted") wake(change.object.metadata.name);
  });
  return { loops: [loop] };
}

async function kindsOf(policy: ValidatingAdmissionPolicy, client: Client, signal: AbortSignal): Promise<PolicyKinds> {
  const rules = policy.spec?.matchConstraints?.resourceRules ?? [];
  const { discovery } = client;
  const named = async (): Promise<ReturnType<typeof namedKinds>> =>
    namedKinds(rules, (await discovery.all({ signal })).resources);
  let { kinds, isPartial } = await named();
  if (isPartial) {
    // the kind may have been defined a moment ago
    discovery.invalidate();
    ({ kinds, isPartial } = await named());
  }
  const { apiVersion = "", kind = "" } = policy.spec?.paramKind ?? {};
  const params = kind === "" ? undefined : await described({ ...parseGroupVersion(apiVersion), kind }, client, signal);
  const objects = await Promise.all(kinds.map((one) => described(one, client, signal)));
  return { objects, params };
}

/** A kind that the server does not describe is one without a document. */
async function described({ group, version, kind }: Kind, client: Client, signal: AbortSignal): Promise<DescribedKind> {
  const { discovery } = client;
  const path = group === "" ? `api/${version}` : `apis/${group}/${version}`;
  const isThere = Object.hasOwn(await discovery.openapiPaths({ signal }), path);
  return {
    group,
    version,
    kind,
    document: isThere ? await discovery.openapi({ group, version }, { signal }) : undefined,
  };
}
