/** The Go packages that hold API types, under the short names that the tables use (`core/v1`). */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { type GoPackage, readGoPackage } from "./go-types.js";
import type { ModuleFolders } from "./modules.js";
import { type ProtoMessages, readProto } from "./proto.js";

export interface ApiPackage {
  /** `core/v1` */
  readonly id: string;
  /** The prefix of its schemas' names: `io.k8s.api.core.v1`. */
  readonly schemaPrefix: string;
  readonly go: GoPackage;
  readonly proto: ProtoMessages;
}

interface Place {
  readonly id: string;
  readonly goPath: string;
  readonly folder: string;
}

/** Every package of `k8s.io/api`, and the three that live elsewhere. */
export async function readPackages(folders: ModuleFolders): Promise<ReadonlyMap<string, ApiPackage>> {
  const packages = new Map<string, ApiPackage>();
  for (const { id, goPath, folder } of await places(folders)) {
    const go = await readGoPackage(goPath, folder);
    const proto = await readProto(join(folder, "generated.proto"));
    packages.set(id, { id, schemaPrefix: schemaPrefix(goPath), go, proto });
  }
  for (const [id, home] of packages) packages.set(id, { ...home, go: withBorrowed(home.go, packages) });
  return packages;
}

/** Fills in the values of constants that are another package's. */
function withBorrowed(go: GoPackage, packages: ReadonlyMap<string, ApiPackage>): GoPackage {
  const named = new Map(go.named);
  for (const { type, alias, constant } of go.borrowed) {
    const home = [...packages.values()].find((other) => other.go.path === go.imports.get(alias));
    const value = home?.go.constants.get(constant);
    const current = named.get(type);
    if (value !== undefined && current) named.set(type, { ...current, values: [...current.values, value].sort() });
  }
  return { ...go, named };
}

async function places(folders: ModuleFolders): Promise<readonly Place[]> {
  const elsewhere = (id: string, folder: string, goPath: string): Place => ({
    id,
    goPath,
    folder: join(folder, `pkg/apis/${id}`),
  });
  const found = [
    elsewhere("meta/v1", folders.apimachinery, "k8s.io/apimachinery/pkg/apis/meta/v1"),
    elsewhere("apiextensions/v1", folders.apiextensions, "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"),
    elsewhere("apiregistration/v1", folders.aggregator, "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"),
  ];
  for (const group of await foldersOf(folders.api)) {
    if (group === "testdata") continue;
    for (const version of await foldersOf(join(folders.api, group))) {
      if (!/^v\d/.test(version)) continue;
      const id = `${group}/${version}`;
      found.push({ id, goPath: `k8s.io/api/${id}`, folder: join(folders.api, id) });
    }
  }
  return found;
}

async function foldersOf(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
}

/** `k8s.io/api/core/v1` → `io.k8s.api.core.v1` */
function schemaPrefix(goPath: string): string {
  const [host, ...rest] = goPath.split("/");
  return [...host!.split(".").reverse(), ...rest].join(".");
}
