/** The publisher of the API server's trust anchors: keeps one ClusterTrustBundle for the signer of its certificate. */
import { createHash } from "node:crypto";
import { ClusterTrustBundle, isNotFound, unless } from "../../api/index.js";
import type { KeyRun } from "../../controller/index.js";
import type { BuiltInController, ControllerContext } from "../kit/context.js";
import { keyLoop } from "../kit/loops.js";

const signerName = "kubernetes.io/kube-apiserver-serving";

/** The name tells the signer and the content, so that a new authority has a bundle of its own. */
const bundleName = (trustBundle: string): string =>
  `${signerName.replaceAll("/", ":")}:${createHash("sha256").update(trustBundle).digest("hex").slice(0, 24)}`;

/** Undefined without the certificate of the server's authority. */
export function trustBundlePublisher(context: ControllerContext): BuiltInController | undefined {
  const { ca } = context.credentials;
  return ca === undefined ? undefined : publisherOf(ca, context);
}

function publisherOf(trustBundle: string, context: ControllerContext): BuiltInController {
  const bundles = context.informers.informer(ClusterTrustBundle);
  const kind = "ClusterTrustBundle";
  const loop = keyLoop(context, { name: "clustertrustbundle_publisher", kind, workers: 1, awaits: [bundles], sync });
  const name = bundleName(trustBundle);
  loop.watch(bundles, ({ object: { spec } }, wake) => {
    if (spec.signerName === signerName) wake(name);
  });
  loop.add(name);

  async function sync({ client }: KeyRun): Promise<void> {
    const published = bundles.indexer.get(name);
    const writer = client.resource(ClusterTrustBundle);
    if (published === undefined) await writer.create({ metadata: { name }, spec: { signerName, trustBundle } });
    else if (published.spec.trustBundle !== trustBundle) {
      await writer.update({ ...published, spec: { ...published.spec, trustBundle } });
    }
    for (const { metadata, spec } of bundles.indexer.list()) {
      if (spec.signerName !== signerName || metadata.name === name) continue;
      await writer.delete(metadata.name).catch(unless(isNotFound));
    }
  }

  return { loops: [loop] };
}
