/** The filter for claims of which one pod at a time may make use. */
import { type Filter, refusalOf } from "../filters/filter.js";
import type { VolumeView } from "./needs.js";

const inUse =
  "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod";

export const volumeAccessFilter = (view: VolumeView): Filter => ({
  name: "VolumeRestrictions",
  prepare({ claims }, cluster) {
    const exclusive = claims.filter(
      ({ key, ephemeral }) => !ephemeral && view.claim(key)?.spec?.accessModes?.includes("ReadWriteOncePod"),
    );
    return exclusive.some(({ key }) => cluster.claimUsers(key) > 0) ? () => refusalOf(inUse) : undefined;
  },
  mayFitAfter(event, { claims }) {
    if (event.type === "pod-removed") {
      return event.pod.claims.some((held) => claims.some(({ key }) => key === held.key));
    }
    return event.type === "node-set" && event.previous === undefined;
  },
});
