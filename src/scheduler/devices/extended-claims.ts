/** Writes the claims of devices behind extended resources: makes them, tells their pods of them, and deletes them. */
import { isNotFound, Pod, ResourceClaim } from "../../api/index.js";
import { messageOf } from "../../base/index.js";
import type { Client } from "../../client/index.js";
import { deviceFinalizer } from "../../placement/device-claims.js";
import type { ExtendedClaim } from "./extended-resources.js";
import { claimName } from "./requests.js";

export class ExtendedClaims {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  async create({ claim }: ExtendedClaim, signal: AbortSignal): Promise<ResourceClaim> {
    const { name: _name, uid: _uid, namespace = "", ...metadata } = claim.metadata;
    try {
      return await this.#client
        .resource(ResourceClaim, { namespace })
        .create({ metadata, spec: claim.spec }, { signal });
    } catch (error) {
      throw new Error(`create claim for extended resources ${claimName(claim)}: ${messageOf(error)}`, { cause: error });
    }
  }

  /** The kubelet learns from the pod's status which devices its containers get. */
  async tell(
    { metadata }: Pod,
    { made, mappings }: { readonly made: ResourceClaim } & Pick<ExtendedClaim, "mappings">,
    signal: AbortSignal,
  ): Promise<void> {
    const extendedResourceClaimStatus = { requestMappings: mappings, resourceClaimName: made.metadata.name };
    const strategic = { metadata: { uid: metadata.uid }, status: { extendedResourceClaimStatus } };
    await this.#client.resource(Pod).status.patch(metadata, { strategic }, { signal });
  }

  async delete({ metadata }: ResourceClaim, signal: AbortSignal): Promise<void> {
    const claims = this.#client.resource(ResourceClaim);
    const { uid } = metadata;
    const strategic = { metadata: { uid, "$deleteFromPrimitiveList/finalizers": [deviceFinalizer] } };
    try {
      await claims.patch(metadata, { strategic }, { signal });
      await claims.delete(metadata, { ...(uid && { preconditions: { uid } }), signal });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
}
