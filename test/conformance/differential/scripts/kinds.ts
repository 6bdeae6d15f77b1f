/** Every kind once through its life: created, shown, changed, deleted. */
import { inNamespace, Script, table } from "../script.js";
import { samples } from "./objects.js";

export function kinds(): Script {
  const { script: s } = inNamespace("diff-kinds");
  for (const { version, plural, clusterWide, object } of samples) {
    const root = version === "v1" ? "/api/v1" : `/apis/${version}`;
    const collection = clusterWide ? `${root}/${plural}` : `${root}/namespaces/diff-kinds/${plural}`;
    const { name } = (object as { metadata: { name: string } }).metadata;
    s.post(collection, object)
      .get(`${collection}/${name}`, { accept: table })
      .get(`${collection}?fieldSelector=metadata.name%3D${name}`);
    s.merge(`${collection}/${name}`, { metadata: { labels: { changed: "yes" } } }).put(`${collection}/${name}`, object);
    s.delete(`${collection}/${name}`).get(`${collection}/${name}`);
  }
  return s;
}
