import { describe, expect, test } from "vitest";
import { enabledPlugins } from "./plugins.js";
import { completeSchedulerConfiguration, parseSchedulerConfiguration } from "./read.js";

const head = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n";

describe("a scheduler's configuration", () => {
  test("has defaults for everything", () => {
    const { profiles, ...rest } = completeSchedulerConfiguration(parseSchedulerConfiguration(head));
    expect(profiles).toMatchObject([{ schedulerName: "default-scheduler", plugins: {}, pluginConfig: [] }]);
    expect(rest).toMatchObject({
      parallelism: 16,
      percentageOfNodesToScore: 0,
      podInitialBackoffSeconds: 1,
      podMaxBackoffSeconds: 10,
      extenders: [],
      leaderElection: { leaderElect: true, resourceName: "kube-scheduler", leaseDuration: "15s" },
    });
  });

  test.each<[string, string]>([
    ["foo: 1", 'strict decoding error: unknown field "foo"'],
    ["podInitialBackoffSeconds: 0", "podInitialBackoffSeconds: Invalid value: 0: must be greater than 0"],
    [
      "profiles: [{plugins: {filter: {enabled: [{name: Nope}]}}}]",
      'initializing profiles: creating profile for scheduler name default-scheduler: FilterPlugin "Nope" does not exist',
    ],
    [
      "profiles: 7",
      "json: cannot unmarshal number into Go struct field KubeSchedulerConfiguration.profiles of type []v1.KubeSchedulerProfile",
    ],
  ])("%s is refused with upstream's words", (fields, message) => {
    expect(() => completeSchedulerConfiguration(parseSchedulerConfiguration(head + fields))).toThrow(message);
  });

  test("of any JSON gives a configuration or its error, never another one", () => {
    const values = ["null", "1", "[]", "{}", '"x"', "[null]", "[{}]", "[1]", '{"a":null}'];
    const names = ["profiles", "extenders", "leaderElection", "clientConnection", "parallelism"];
    const inside = ["plugins", "pluginConfig", "schedulerName"];
    const texts = [
      ...names.flatMap((name) => values.map((value) => `${head}${name}: ${value}`)),
      ...inside.flatMap((name) => values.map((value) => `${head}profiles: [{${name}: ${value}}]`)),
      ...values.map((value) => `${head}profiles: [{pluginConfig: [{name: NodeAffinity, args: ${value}}]}]`),
      ...values.map((value) => `${head}profiles: [{plugins: {score: ${value}}}]`),
    ];
    for (const text of texts) {
      try {
        completeSchedulerConfiguration(parseSchedulerConfiguration(text));
      } catch (error) {
        expect([text, (error as Error).name]).toEqual([text, "SchedulerConfigurationError"]);
      }
    }
  });
});

describe("plug-ins", () => {
  test("that a point names again come first, those of this point alone last", () => {
    const { at, weights } = enabledPlugins(
      {
        multiPoint: { disabled: [{ name: "NodeDeclaredFeatures" }, { name: "ImageLocality" }] },
        score: { enabled: [{ name: "InterPodAffinity", weight: 9 }, { name: "ImageLocality" }] },
        filter: { disabled: [{ name: "*" }], enabled: [{ name: "NodeName" }] },
      },
      "p",
    );
    expect(at.filter).toEqual(["NodeName"]);
    expect([at.score[0], at.score.at(-1)]).toEqual(["InterPodAffinity", "ImageLocality"]);
    expect([weights.get("InterPodAffinity"), weights.get("ImageLocality"), weights.get("TaintToleration")]).toEqual([
      9, 1, 3,
    ]);
  });
});
