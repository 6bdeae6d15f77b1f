/**
 * Prefers nodes that have the pod's images, by size. An image that few nodes have counts less, so that they do not
 * attract all pods.
 */
import type { NodeInfo } from "../state/node-info.js";
import { maxScore, type Score } from "./score.js";

const megabyte = 1024 * 1024;
const least = 23 * megabyte;
const mostPerContainer = 1_000 * megabyte;

export const imageScore: Score = {
  name: "ImageLocality",
  weight: 1,
  prepare({ pod }, { nodes }, feasible) {
    if (!feasible.some(({ images }) => images.size > 0)) return undefined;
    const { initContainers = [], containers = [] } = pod.spec ?? {};
    const wanted = [...initContainers, ...containers].map(({ image }) => withTag(image ?? ""));
    const most = mostPerContainer * wanted.length;
    const shares = wanted.map((image) => nodes.filter((node) => node.images.has(image)).length / nodes.length);
    return {
      rate({ images }: NodeInfo) {
        const sum = wanted.reduce(
          (total, image, index) => total + Math.trunc((images.get(image) ?? 0) * (shares[index] as number)),
          0,
        );
        const bounded = Math.min(Math.max(sum, least), most);
        return Math.floor((maxScore * (bounded - least)) / (most - least));
      },
    };
  },
};

/** The image's name as nodes list it: `nginx` is `nginx:latest`; a registry's port is not a tag. */
function withTag(image: string): string {
  return image.lastIndexOf(":") <= image.lastIndexOf("/") ? `${image}:latest` : image;
}
