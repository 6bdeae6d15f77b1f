import { expect, test } from "vitest";
import { last, listed, readArguments, truth } from "./arguments.js";
import { apiserverFlags, etcdFlags } from "./flags.js";

const read = (...args: string[]) => readArguments(args, apiserverFlags);

test("values follow the flag by an equals sign or as the next argument, and lists have commas or repetitions", () => {
  const given = read("--secure-port", "1234", "--bind-address=127.0.0.1", "--authorization-mode=Node,RBAC", "-v=2");
  expect([last(given, "secure-port"), last(given, "bind-address")]).toEqual(["1234", "127.0.0.1"]);
  expect(listed(given, "authorization-mode")).toEqual(["Node", "RBAC"]);
  const twice = read("--service-account-issuer=a", "--service-account-issuer", "b", "--api_audiences=x,y");
  expect(twice.flags.get("service-account-issuer")).toEqual(["a", "b"]);
  expect(listed(twice, "api-audiences")).toEqual(["x", "y"]);
  expect([given.warnings, twice.warnings]).toEqual([[], []]);
});

test("a switch does not take the next argument for its value", () => {
  const given = read("--allow-privileged", "--anonymous-auth=false", "--profiling", "stray");
  expect([truth(given, "allow-privileged"), truth(given, "anonymous-auth"), truth(given, "profiling")]).toEqual([
    true,
    false,
    true,
  ]);
  expect(given.warnings).toEqual(["no flags, and ignored: stray"]);
  expect(() => truth(read("--anonymous-auth=maybe"), "anonymous-auth")).toThrow("neither true nor false");
});

test("unknown flags and flags without effect are named, with or without a value, and nothing else is lost", () => {
  const given = read(
    "--no-such",
    "value",
    "--nor-this",
    "--goaway-chance=1",
    "--encryption-provider-config=A",
    "--secure-port=1",
  );
  expect(given.warnings).toEqual([
    "no effect here: --encryption-provider-config",
    "not known, and ignored: --no-such, --nor-this",
  ]);
  expect(last(given, "secure-port")).toBe("1");
});

test("the flags of etcd may have one dash", () => {
  const { flags, warnings } = readArguments(["-listen-client-urls", "http://a:1", "--unsafe-no-fsync"], etcdFlags);
  expect([...flags]).toEqual([
    ["listen-client-urls", ["http://a:1"]],
    ["unsafe-no-fsync", ["true"]],
  ]);
  expect(warnings).toEqual([]);
});
