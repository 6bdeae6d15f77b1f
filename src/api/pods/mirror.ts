/** Mirror pods: a node shows by them the pods that it runs by itself. */
import type { KubeObject } from "../object.js";

export const mirrorAnnotation = "kubernetes.io/config.mirror";

export const isMirrorPod = ({ metadata }: Pick<KubeObject, "metadata">): boolean =>
  metadata.annotations?.[mirrorAnnotation] !== undefined;
