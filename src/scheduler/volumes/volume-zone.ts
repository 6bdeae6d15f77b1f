/** The filter for zones of volumes: a volume with a label of its zone or region is used there only. */
import type { PersistentVolume } from "../../api/index.js";
import { lookup, own } from "../../base/members.js";
import { refusalOf, type Filter } from "../filters/filter.js";
import type { VolumeView } from "./needs.js";
import { mayReachAfter } from "./volume-filter.js";

const betaNames: Readonly<Record<string, string>> = lookup({
  "failure-domain.beta.kubernetes.io/zone": "topology.kubernetes.io/zone",
  "failure-domain.beta.kubernetes.io/region": "topology.kubernetes.io/region",
});
const zoneLabels: readonly string[] = [...Object.keys(betaNames), ...Object.values(betaNames)];

interface Zone {
  readonly label: string;
  readonly values: readonly string[];
}

/** A label may name several zones, joined by two underscores. */
const zonesOf = ({ metadata: { labels } }: PersistentVolume): readonly Zone[] =>
  zoneLabels.flatMap((label) => {
    const value = own(labels, label);
    return value === undefined ? [] : [{ label, values: value.split("__") }];
  });

export const zoneFilter = (view: VolumeView): Filter => ({
  name: "VolumeZone",
  prepare({ claims }) {
    const zones = claims.flatMap(({ key, ephemeral }) => {
      const volume = ephemeral ? undefined : view.volume(view.claim(key)?.spec?.volumeName ?? "");
      return volume === undefined ? [] : zonesOf(volume);
    });
    if (zones.length === 0) return undefined;
    const no = refusalOf("node(s) had no available volume zone", true);
    return ({ labels }) => {
      // a node that says nothing about its zone is in any
      if (!zoneLabels.some((label) => labels[label] !== undefined)) return undefined;
      const fits = ({ label, values }: Zone): boolean =>
        values.includes(labels[label] ?? labels[betaNames[label] ?? label] ?? "\0");
      return zones.every(fits) ? undefined : no;
    };
  },
  mayFitAfter: mayReachAfter,
});
