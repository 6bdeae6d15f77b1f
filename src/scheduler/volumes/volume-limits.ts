/** The filter for limits of volumes: a node may attach only a number of volumes of each CSI driver. */
import { type Filter, refusalOf } from "../filters/filter.js";
import type { NodeInfo } from "../state/node-info.js";
import type { PodInfo } from "../state/pod-info.js";
import { classOf } from "../../placement/volume-claims.js";
import type { VolumeView } from "./needs.js";

/** The driver of each volume, by the volume's name. */
type Volumes = Map<string, string>;

/** Adds the CSI volumes that the pod uses; a volume that is still to be made counts under its claim's name. */
function addVolumes(volumes: Volumes, { claims }: PodInfo, view: VolumeView): void {
  for (const { key } of claims) {
    const claim = view.claim(key);
    if (claim === undefined) continue;
    const name = claim.spec?.volumeName;
    const csi = name ? view.volume(name)?.spec?.csi : undefined;
    if (csi !== undefined) volumes.set(`${csi.driver}/${csi.volumeHandle}`, csi.driver);
    else if (!name || view.volume(name) === undefined) {
      const driver = view.storageClass(classOf(claim))?.provisioner;
      if (driver !== undefined) volumes.set(`${driver}/claim ${key}`, driver);
    }
  }
}

/** The volumes that pods use on the node, or that are attached to it for another reason. */
function volumesAt({ name, pods }: NodeInfo, view: VolumeView): Volumes {
  const volumes: Volumes = new Map();
  for (const pod of pods.values()) addVolumes(volumes, pod, view);
  for (const { spec } of view.attachments(name)) {
    const csi = view.volume(spec.source.persistentVolumeName ?? "")?.spec?.csi;
    if (csi !== undefined) volumes.set(`${spec.attacher}/${csi.volumeHandle}`, spec.attacher);
  }
  return volumes;
}

export const volumeLimitsFilter = (view: VolumeView): Filter => ({
  name: "NodeVolumeLimits",
  prepare(pod) {
    if (pod.claims.length === 0) return undefined;
    const wanted: Volumes = new Map();
    addVolumes(wanted, pod, view);
    if (wanted.size === 0) return undefined;
    const no = refusalOf("node(s) exceed max volume count");
    return (node) => {
      const limits = new Map(
        (view.csiNode(node.name)?.spec.drivers ?? []).flatMap(({ name, allocatable }) =>
          allocatable?.count === undefined ? [] : [[name, allocatable.count]],
        ),
      );
      if (limits.size === 0) return undefined;
      const there = volumesAt(node, view);
      const counts = new Map<string, number>();
      for (const driver of there.values()) counts.set(driver, (counts.get(driver) ?? 0) + 1);
      const more = [...wanted].filter(([name]) => !there.has(name)).map(([, driver]) => driver);
      for (const driver of more) counts.set(driver, (counts.get(driver) ?? 0) + 1);
      return more.some((driver) => (counts.get(driver) ?? 0) > (limits.get(driver) ?? Infinity)) ? no : undefined;
    };
  },
  mayFitAfter(event, { claims }) {
    if (event.type === "pod-removed") return event.pod.claims.length > 0;
    if (event.type === "storage-changed") {
      return event.claim === undefined || claims.some(({ key }) => key === event.claim);
    }
    return event.type === "node-set" && event.previous === undefined;
  },
});
