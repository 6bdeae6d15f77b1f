/** The secrets and config maps that a pod names: takes the pod, gives their names. */
import type { Pod, Volume } from "../generated/core-v1.js";
import { allContainers } from "./containers.js";

/** The secrets that a pod names, without repetitions. */
export function secretsOf({ spec }: Pod): ReadonlySet<string> {
  const names = new Set<string | undefined>();
  for (const { name } of spec?.imagePullSecrets ?? []) names.add(name);
  for (const { env = [], envFrom = [] } of allContainers(spec)) {
    for (const { valueFrom } of env) names.add(valueFrom?.secretKeyRef?.name);
    for (const { secretRef } of envFrom) names.add(secretRef?.name);
  }
  for (const volume of spec?.volumes ?? []) for (const name of secretsOfVolume(volume)) names.add(name);
  return nonEmpty(names);
}

function* secretsOfVolume(volume: Volume): Generator<string | undefined> {
  const { azureFile, secret, csi, projected } = volume;
  const { cephfs, cinder, flexVolume, rbd, scaleIO, iscsi, storageos } = volume;
  yield azureFile?.secretName;
  yield secret?.secretName;
  yield csi?.nodePublishSecretRef?.name;
  for (const source of [cephfs, cinder, flexVolume, rbd, scaleIO, iscsi, storageos]) yield source?.secretRef?.name;
  for (const source of projected?.sources ?? []) yield source.secret?.name;
}

/** The config maps that a pod names, without repetitions. */
export function configMapsOf({ spec }: Pod): ReadonlySet<string> {
  const names = new Set<string | undefined>();
  for (const { env = [], envFrom = [] } of allContainers(spec)) {
    for (const { valueFrom } of env) names.add(valueFrom?.configMapKeyRef?.name);
    for (const { configMapRef } of envFrom) names.add(configMapRef?.name);
  }
  for (const { configMap, projected } of spec?.volumes ?? []) {
    names.add(configMap?.name);
    for (const source of projected?.sources ?? []) names.add(source.configMap?.name);
  }
  return nonEmpty(names);
}

/** The names that are given. */
export const nonEmpty = (names: ReadonlySet<string | undefined>): ReadonlySet<string> =>
  new Set([...names].filter((name): name is string => name !== undefined && name !== ""));
