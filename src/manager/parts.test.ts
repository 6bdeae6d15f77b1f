import { describe, expect, test } from "vitest";
import { Deployment, newForbidden, newNotFound, Pod } from "../api/index.js";
import { FakeClock, silentLogger } from "../base/index.js";
import { Client } from "../client/index.js";
import { withoutManagedFields } from "../api/meta/managed-fields.js";
import { explainWatchError } from "./cluster.js";
import { managerOptionsFrom, parseAddress, parseFlags, UsageError } from "./program/flags.js";
import { runProgram } from "./program/program.js";
import { setupSignalHandler, type SignalSource } from "./program/signals.js";
import { Stages } from "./stages.js";

describe("flags", () => {
  const defaults = {
    kubeconfig: "",
    master: "",
    namespace: "",
    leaderElect: false,
    pause: "",
    cacheMemory: "",
    metricsAddress: "",
    webhookService: "",
    webhookAddress: "",
    verbosity: 0,
    logFormat: "text",
  };

  for (const [args, expected] of [
    [[], {}],
    [["--kubeconfig", "/k", "--master=https://m"], { kubeconfig: "/k", master: "https://m" }],
    [["-kubeconfig", "/k", "-master=https://m"], { kubeconfig: "/k", master: "https://m" }],
    [["--cache-memory", "200Mi"], { cacheMemory: "200Mi" }],
    [["-v", "4", "--log-format=json"], { verbosity: 4, logFormat: "json" }],
    [["-v=4"], { verbosity: 4 }],
    [
      ["--leader-elect", "--namespace", "n", "--metrics-address", ":8080"],
      { leaderElect: true, namespace: "n", metricsAddress: ":8080" },
    ],
  ] as const) {
    test(`${args.join(" ") || "none"}`, () => {
      expect(parseFlags(args)).toEqual({ ...defaults, ...expected });
    });
  }

  for (const args of [["--nonsense"], ["stray"], ["-v", "much"], ["--log-format", "xml"], ["--help"]]) {
    test(`${args.join(" ")} is an error that says how it is used`, () => {
      expect(() => parseFlags(args)).toThrow(UsageError);
    });
  }

  test("become options of a manager; what was not asked for is not there", () => {
    const client = new Client({ transport: () => Promise.reject(new Error("not asked")), namespace: "system" });
    const given = { name: "foo", client, log: silentLogger };
    const secret = { name: "foo-webhooks", namespace: "system" };
    const webhooks = { name: "foo", certificates: { secret } };
    const lease = { namespace: "system", name: "foo" };
    const least = { client, log: silentLogger, lease, webhooks: { ...webhooks, port: 0 } };
    expect(managerOptionsFrom(parseFlags([]), given)).toEqual(least);
    const args = ["--leader-elect", "--namespace=n", "--metrics-address=:8080", "--webhook-service=hooks"];
    expect(managerOptionsFrom(parseFlags(args), given)).toEqual({
      client,
      log: silentLogger,
      namespaces: ["n"],
      lease,
      leaderElection: {},
      http: { port: 8080 },
      webhooks: { ...webhooks, service: { name: "hooks", namespace: "system" } },
    });
    const webhooksAt = (...flags: string[]) => managerOptionsFrom(parseFlags(flags), given).webhooks;
    expect(webhooksAt("--webhook-address=10.0.0.7:9443")).toEqual({ ...webhooks, host: "10.0.0.7", port: 9443 });
    expect(webhooksAt("--webhook-address=:9444", "--webhook-service=hooks")).toMatchObject({ port: 9444 });
    expect(webhooksAt("--webhook-address=0")).toBeUndefined();
    expect(() => webhooksAt("--webhook-address=:9443")).toThrow("the server needs a host to find the webhooks");
  });

  test("addresses", () => {
    expect([
      parseAddress(":8080"),
      parseAddress("[::1]:1"),
      parseAddress("127.0.0.1:0"),
      parseAddress(""),
      parseAddress("0"),
    ]).toEqual([{ port: 8080 }, { host: "::1", port: 1 }, { host: "127.0.0.1", port: 0 }, undefined, undefined]);
    expect(() => parseAddress("8080")).toThrow("an address reads host:port");
    expect(() => parseAddress(":99999")).toThrow("an address reads host:port");
  });
});

describe("signals", () => {
  function source(): SignalSource & { send(name: string): void; readonly exits: number[] } {
    const listeners: [string, () => void][] = [];
    const exits: number[] = [];
    return {
      exits,
      on: (name, listener) => void listeners.push([name, listener]),
      exit: (code) => void exits.push(code),
      send: (name) => listeners.forEach(([of, listener]) => of === name && listener()),
    };
  }

  test("the first signal asks for a stop; a second signal exits at once, with code 1", () => {
    const process = source();
    const signal = setupSignalHandler(process);
    expect(signal.aborted).toBe(false);
    process.send("SIGTERM");
    expect([signal.aborted, String(signal.reason), process.exits]).toEqual([true, "Error: received SIGTERM", []]);
    process.send("SIGINT");
    expect(process.exits).toEqual([1]);
  });

  test("a second handler is an error", () => {
    const process = source();
    setupSignalHandler(process);
    expect(() => setupSignalHandler(process)).toThrow("called already");
  });
});

describe("a program", () => {
  const source = (): SignalSource => ({ on: () => {}, exit: () => {} });

  for (const [what, args, main, code] of [
    ["that returns", [], () => Promise.resolve(), 0],
    ["that fails", ["--log-format", "json"], () => Promise.reject(new Error("boom")), 1],
    ["with a bad flag", ["--nonsense"], () => Promise.resolve(), 2],
    ["that is asked for help", ["--help"], () => Promise.reject(new Error("not called")), 0],
  ] as const) {
    test(`${what} has the exit code ${code}`, async () => {
      const printed: string[] = [];
      const result = await runProgram({ args, process: source(), print: (text) => void printed.push(text) }, main);
      expect([result, printed.length]).toEqual([code, args[0] === "--nonsense" || args[0] === "--help" ? 1 : 0]);
    });
  }
});

describe("flags of a program's own", () => {
  const flags = {
    "dns-file": { type: "string", description: "names to serve" },
    workers: { type: "number", short: "w", default: 4, description: "reconciles at a time" },
    "dry-run": { type: "boolean" },
    style: { type: "string", choices: ["low", "high"], default: "low" },
  } as const;

  test("are typed, named in camel case, and have their defaults", () => {
    const values = parseFlags(["--dns-file=a.json", "-w", "8", "--namespace", "n"], flags);
    const typed: { dnsFile: string | undefined; workers: number; dryRun: boolean; style: "low" | "high" } = values;
    expect(typed).toMatchObject({ dnsFile: "a.json", workers: 8, dryRun: false, style: "low", namespace: "n" });
    expect(parseFlags([], flags)).toMatchObject({ dnsFile: undefined, workers: 4, dryRun: false });
  });

  for (const [args, said] of [
    [["--workers", "many"], '--workers must be a number, not "many"'],
    [["--style", "wild"], '--style must be low or high, not "wild"'],
    [["--dns-fiel", "a"], "Unknown option '--dns-fiel'"],
  ] as const) {
    test(`${args.join(" ")} is refused: ${said}`, () => {
      expect(() => parseFlags(args, flags)).toThrow(said);
    });
  }

  for (const [declared, said] of [
    [{ namespace: { type: "string" } }, "every program has one of this name already"],
    [{ dnsFile: { type: "string" } }, "a name has small letters"],
    [{ words: { type: "string", short: "v" } }, "-v is short for --v already"],
  ] as const) {
    test(`a declaration that cannot work is refused: ${said}`, () => {
      expect(() => parseFlags([], declared)).toThrow(said);
    });
  }

  test("stand in the help before those that every program has", async () => {
    const printed: string[] = [];
    const print = (text: string): void => void printed.push(text);
    await runProgram({ args: ["--help"], flags, print }, () => Promise.resolve());
    expect(printed.join("")).toMatch(
      /^flags:\n {2}--dns-file <text> +names to serve\n {2}-w, --workers <number> +reconciles at a time; default 4\n {2}--dry-run\n {2}--style low\|high +default "low"\n {2}--kubeconfig /,
    );
  });

  test("reach main, whose UsageError is the exit code 2", async () => {
    const printed: string[] = [];
    const options = { args: ["--workers", "0"], flags, print: (text: string) => void printed.push(text) };
    const signals: SignalSource = { on: () => {}, exit: () => {} };
    const code = await runProgram({ ...options, process: signals }, async ({ flags: { workers } }) => {
      if (workers < 1) throw new UsageError("--workers must be at least 1");
    });
    expect([code, printed]).toEqual([2, ["--workers must be at least 1\n"]]);
  });
});

describe("stages", () => {
  test("stop in the reverse order; one that fails or hangs does not keep the others from stopping", async () => {
    const clock = new FakeClock();
    const log: string[] = [];
    const stages = new Stages({ timeoutMs: 1000, clock, log: silentLogger });
    stages.started("first", () => void log.push("first"));
    stages.started("second", () => Promise.reject(new Error("boom")));
    stages.started("third", () => new Promise(() => {}));
    stages.started("fourth", () => void log.push("fourth"));
    const stopped = expect(stages.stop()).rejects.toMatchObject({
      errors: [{ message: "third had not stopped after 1000 ms" }, { message: "stopping second failed" }],
    });
    await clock.advance(1000);
    await stopped;
    expect(log).toEqual(["fourth", "first"]);
  });
});

describe("what an operator is told", () => {
  test("a kind that is not served, and a kind that may not be read", () => {
    expect(explainWatchError(Deployment, newNotFound({ group: "apps", resource: "deployments" }, ""))).toBe(
      "the server does not know deployments.apps in version v1: waiting for its CustomResourceDefinition",
    );
    expect(explainWatchError(Pod, newForbidden({ group: "", resource: "pods" }, "", "no"))).toBe(
      'not allowed to list and watch pods; missing RBAC rule: {"apiGroups":[""],"resources":["pods"],"verbs":["get","list","watch"]} (pods is forbidden: no)',
    );
    expect(explainWatchError(Pod, new Error("broken"))).toBe("broken");
  });

  test("managed fields are dropped without touching the object, and nothing is copied without need", () => {
    const plain = { apiVersion: "v1", kind: "Pod", metadata: { name: "a" } };
    const managed = { ...plain, metadata: { name: "a", managedFields: [{ manager: "m" }] } };
    expect(withoutManagedFields(plain)).toBe(plain);
    expect([withoutManagedFields(managed), managed.metadata.managedFields.length]).toEqual([plain, 1]);
  });
});
