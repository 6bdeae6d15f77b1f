/** Defaults of a pod's volume. */
import type { Volume, VolumeProjection } from "../../../../../api/index.js";
import { changed, each, filled, having } from "../../rules/fill.js";
import { claimSpecDefaults } from "../../volumes/claim-spec.js";
import { filledSource } from "../../volumes/sources.js";
import { fieldSelectorDefaults, pullPolicyFor } from "./container-defaults.js";

/** The feature gates of trust bundles and pod certificates are off: these are dropped. */
function projectionDefaults(given: VolumeProjection): VolumeProjection {
  const source = having(having(given, "clusterTrustBundle", undefined), "podCertificate", undefined);
  const named = changed(source, "downwardAPI", (downward) =>
    changed(downward, "items", (items) => each(items, (item) => changed(item, "fieldRef", fieldSelectorDefaults))),
  );
  return changed(named, "serviceAccountToken", (token) => filled(token, { expirationSeconds: 3600 }));
}

const fileMode = { defaultMode: 0o644 } as const;

export function volumeDefaults(volume: Volume): Volume {
  const { name: _, ...source } = volume;
  let result: Volume = Object.keys(source).length === 0 ? { ...volume, emptyDir: {} } : volume;
  result = changed(result, "image", (image) => filled(image, { pullPolicy: pullPolicyFor(image.reference ?? "") }));
  result = changed(result, "secret", (secret) => filled(secret, fileMode));
  result = changed(result, "configMap", (map) => filled(map, fileMode));
  result = changed(result, "downwardAPI", (downward) =>
    changed(filled(downward, fileMode), "items", (items) =>
      each(items, (item) => changed(item, "fieldRef", fieldSelectorDefaults)),
    ),
  );
  result = changed(result, "projected", (projected) =>
    changed(filled(projected, fileMode), "sources", (sources) => each(sources, projectionDefaults)),
  );
  result = changed(result, "ephemeral", (ephemeral) =>
    changed(ephemeral, "volumeClaimTemplate", (template) => changed(template, "spec", claimSpecDefaults)),
  );
  return filledSource(result);
}
