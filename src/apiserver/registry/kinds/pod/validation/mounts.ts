/** Rules for a container's mounts of the pod's volumes. */
import { type Container, type Volume, type VolumeDevice, type VolumeMount } from "../../../../../api/index.js";
import { descendingPath, type Issues, optionalOneOf, type Path } from "../../rules/issues.js";
import { repeats } from "../../../../../base/members.js";

/** The pod's valid volumes, by name. */
export type Volumes = ReadonlyMap<string, Volume>;

export function* volumeMounts(at: Path, container: Container, volumes: Volumes): Issues {
  const { volumeMounts: mounts = [], volumeDevices: devices = [] } = container;
  const isRepeat = repeats();
  const deviceNames = new Set(devices.map(({ name }) => name));
  const devicePaths = new Set(devices.map(({ devicePath }) => devicePath));
  for (const [here, mount] of at.items(mounts)) {
    const { name, mountPath } = mount;
    if (name === "") yield here.child("name").required();
    if (!volumes.has(name)) yield here.child("name").notFound(name);
    if (mountPath === "") yield here.child("mountPath").required();
    if (isRepeat(mountPath)) yield here.child("mountPath").invalid(mountPath, "must be unique");
    if (deviceNames.has(name)) {
      yield here.child("name").invalid(name, "must not already exist in volumeDevices");
    }
    if (devicePaths.has(mountPath)) {
      yield here.child("mountPath").invalid(mountPath, "must not already exist as a path in volumeDevices");
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
    yield here.child("subPathExpr").invalid(subPathExpr, "subPathExpr and subPath are mutually exclusive");
  }
  yield* descendingPath(at.child("subPathExpr"), subPathExpr);
}

function* propagation(at: Path, { mountPropagation: mode }: VolumeMount, container: Container): Issues {
  if (mode === undefined) return;
  const here = at.child("mountPropagation");
  yield* optionalOneOf(here, mode, ["Bidirectional", "HostToContainer", "None"]);
  if (mode === "Bidirectional" && container.securityContext?.privileged !== true) {
    yield here.forbidden("Bidirectional mount propagation is available only to privileged containers");
  }
}

function* recursiveReadOnly(at: Path, mount: VolumeMount): Issues {
  const { recursiveReadOnly: mode, readOnly, mountPropagation } = mount;
  if (mode === undefined || mode === "Disabled") return;
  if (mode !== "Enabled" && mode !== "IfPossible") {
    yield at.notSupported(mode, ["Disabled", "Enabled", "IfPossible"]);
    return;
  }
  if (readOnly !== true) yield at.forbidden("may only be specified when readOnly is true");
  if (mountPropagation !== undefined && mountPropagation !== "None") {
    yield at.forbidden("may only be specified when mountPropagation is None or not specified");
  }
}

export function* volumeDevices(at: Path, container: Container, volumes: Volumes): Issues {
  const { volumeMounts: mounts = [], volumeDevices: devices = [] } = container;
  const [names, paths] = [new Set<string>(), new Set<string>()];
  const mounted = new Set(mounts.map(({ name }) => name));
  const mountPaths = new Set(mounts.map(({ mountPath }) => mountPath));
  for (const [here, device] of at.items(devices)) {
    const { name, devicePath }: Partial<VolumeDevice> = device;
    const volume = volumes.get(name);
    if (name === "") yield here.child("name").required();
    if (names.has(name)) yield here.child("name").invalid(name, "must be unique");
    if (volume === undefined) yield here.child("name").notFound(name);
    else if (volume.persistentVolumeClaim === undefined && volume.ephemeral === undefined) {
      const why = "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode";
      yield here.child("name").invalid(name, why);
    }
    yield* devicePathRules(here.child("devicePath"), devicePath, paths);
    if (mounted.has(name)) {
      yield here.child("name").invalid(name, "must not already exist in volumeMounts");
    }
    if (mountPaths.has(devicePath)) {
      yield here.child("devicePath").invalid(devicePath, "must not already exist as a path in volumeMounts");
    }
    if (name !== "") names.add(name);
  }
}

function* devicePathRules(at: Path, path: string, seen: Set<string>): Issues {
  if (path === "") yield at.required();
  if (seen.has(path)) yield at.invalid(path, "must be unique");
  if (path.split("/").includes("..")) yield at.invalid(path, "can not contain backsteps ('..')");
  else seen.add(path);
}
