/** Rules for a container's mounts of the pod's volumes. */
import {
  type Container,
  fieldForbidden,
  fieldInvalid,
  fieldNotFound,
  fieldNotSupported,
  fieldRequired,
  type Volume,
  type VolumeDevice,
  type VolumeMount,
} from "../../../../../api/index.js";
import { descendingPath, type Issues, type Path } from "../../rules/issues.js";

/** The pod's valid volumes, by name. */
export type Volumes = ReadonlyMap<string, Volume>;

export function* volumeMounts(at: Path, container: Container, volumes: Volumes): Issues {
  const { volumeMounts: mounts = [], volumeDevices: devices = [] } = container;
  const points = new Set<string>();
  for (const [index, mount] of mounts.entries()) {
    const here = at.index(index);
    const { name, mountPath } = mount;
    if (name === "") yield fieldRequired(here.child("name"));
    if (!volumes.has(name)) yield fieldNotFound(here.child("name"), name);
    if (mountPath === "") yield fieldRequired(here.child("mountPath"));
    if (points.has(mountPath)) yield fieldInvalid(here.child("mountPath"), mountPath, "must be unique");
    points.add(mountPath);
    if (devices.some((device) => device.name === name)) {
      yield fieldInvalid(here.child("name"), name, "must not already exist in volumeDevices");
    }
    if (devices.some((device) => device.devicePath === mountPath)) {
      yield fieldInvalid(here.child("mountPath"), mountPath, "must not already exist as a path in volumeDevices");
    }
    yield* subPaths(at, here, mount);
    yield* propagation(at, mount, container);
    yield* recursiveReadOnly(at.child("recursiveReadOnly"), mount);
  }
}

/** Upstream reports these without the index of the mount. */
function* subPaths(at: Path, here: Path, { subPath = "", subPathExpr = "" }: VolumeMount): Issues {
  if (subPath !== "") yield* descendingPath(at.child("subPath"), subPath);
  if (subPathExpr === "") return;
  if (subPath !== "") {
    yield fieldInvalid(here.child("subPathExpr"), subPathExpr, "subPathExpr and subPath are mutually exclusive");
  }
  yield* descendingPath(at.child("subPathExpr"), subPathExpr);
}

function* propagation(at: Path, { mountPropagation: mode }: VolumeMount, container: Container): Issues {
  if (mode === undefined) return;
  const here = at.child("mountPropagation");
  const known = ["Bidirectional", "HostToContainer", "None"];
  if (!known.includes(mode)) yield fieldNotSupported(here, mode, known);
  if (mode === "Bidirectional" && container.securityContext?.privileged !== true) {
    yield fieldForbidden(here, "Bidirectional mount propagation is available only to privileged containers");
  }
}

function* recursiveReadOnly(at: Path, mount: VolumeMount): Issues {
  const { recursiveReadOnly: mode, readOnly, mountPropagation } = mount;
  if (mode === undefined || mode === "Disabled") return;
  if (mode !== "Enabled" && mode !== "IfPossible") {
    yield fieldNotSupported(at, mode, ["Disabled", "Enabled", "IfPossible"]);
    return;
  }
  if (readOnly !== true) yield fieldForbidden(at, "may only be specified when readOnly is true");
  if (mountPropagation !== undefined && mountPropagation !== "None") {
    yield fieldForbidden(at, "may only be specified when mountPropagation is None or not specified");
  }
}

export function* volumeDevices(at: Path, container: Container, volumes: Volumes): Issues {
  const { volumeMounts: mounts = [], volumeDevices: devices = [] } = container;
  const [names, paths] = [new Set<string>(), new Set<string>()];
  for (const [index, device] of devices.entries()) {
    const here = at.index(index);
    const { name, devicePath }: Partial<VolumeDevice> = device;
    const volume = volumes.get(name);
    if (name === "") yield fieldRequired(here.child("name"));
    if (names.has(name)) yield fieldInvalid(here.child("name"), name, "must be unique");
    if (volume === undefined) yield fieldNotFound(here.child("name"), name);
    else if (volume.persistentVolumeClaim === undefined && volume.ephemeral === undefined) {
      const why = "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode";
      yield fieldInvalid(here.child("name"), name, why);
    }
    yield* devicePathRules(here.child("devicePath"), devicePath, paths);
    if (mounts.some((mount) => mount.name === name)) {
      yield fieldInvalid(here.child("name"), name, "must not already exist in volumeMounts");
    }
    if (mounts.some((mount) => mount.mountPath === devicePath)) {
      yield fieldInvalid(here.child("devicePath"), devicePath, "must not already exist as a path in volumeMounts");
    }
    if (name !== "") names.add(name);
  }
}

function* devicePathRules(at: Path, path: string, seen: Set<string>): Issues {
  if (path === "") yield fieldRequired(at);
  if (seen.has(path)) yield fieldInvalid(at, path, "must be unique");
  if (path.split("/").includes("..")) yield fieldInvalid(at, path, "can not contain backsteps ('..')");
  else seen.add(path);
}
