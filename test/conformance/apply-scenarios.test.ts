import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ManagedFieldsEntry } from "../../src/api/index.js";
import { hasRealCluster } from "../../src/testing/shared-envtest.js";
import { eventually } from "../eventually.js";
import { type ApiAnswer, type ApiRequest, untilServed } from "./api-request.js";
import { bothServers, type BothServers } from "./embedded-request.js";

const apply = { contentType: "application/apply-patch+yaml" };
const merge = { contentType: "application/merge-patch+json" };
const strategic = { contentType: "application/strategic-merge-patch+json" };
const core = "/api/v1/namespaces/default";

type Scenario = (request: ApiRequest, say: (answer: ApiAnswer) => ApiAnswer) => Promise<void>;

/** A kind whose list changes from granular to atomic and back. */
function changing(listType: object): object {
  const properties = { name: { type: "string" }, value: { type: "string" } };
  const items = { type: "object", required: ["name"], properties };
  const spec = {
    type: "object",
    properties: {
      list: { type: "array", items, ...listType },
      map: {
        type: "object",
        properties: { a: { type: "string" }, b: { type: "string" } },
        ...("x-kubernetes-list-map-keys" in listType ? {} : { "x-kubernetes-map-type": "atomic" }),
      },
    },
  };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "changers.apply.example.com" },
    spec: {
      group: "apply.example.com",
      names: { plural: "changers", singular: "changer", kind: "Changer" },
      scope: "Namespaced",
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: "object", properties: { spec } } },
        },
      ],
    },
  };
}

const granular = { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"] };
const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const changers = "/apis/apply.example.com/v1/namespaces/default/changers";
const changer = (spec: object): object => ({
  apiVersion: "apply.example.com/v1",
  kind: "Changer",
  metadata: { name: "c" },
  spec,
});

/** The new schema holds a moment after it was written: it is seen in how an apply of a scratch object is owned. */
async function untilOwned(request: ApiRequest, wanted: string): Promise<void> {
  const body = { ...changer({ list: [{ name: "x" }] }), metadata: { name: "probe" } };
  const path = `${changers}/probe?fieldManager=p&force=true&dryRun=All`;
  await eventually(`the new schema makes ${wanted} of an apply`, async () => {
    const { body: probe } = await request("PATCH", path, body, apply);
    return JSON.stringify(probe.metadata?.managedFields ?? []).includes(wanted);
  });
}

const configMap = (name: string, rest: object): object => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name },
  ...rest,
});
const pod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "scenario" },
  spec: {
    serviceAccountName: "default",
    automountServiceAccountToken: false,
    tolerations: [{ key: "t", operator: "Exists" }],
    containers: [{ name: "c", image: "i", resources: { requests: { cpu: "1" } } }],
  },
};

const scenarios: Readonly<Record<string, Scenario>> = {
  "a list that becomes atomic is owned as a whole": async (request, say) => {
    expect((await request("POST", definitions, changing(granular))).status).toBe(201);
    await untilServed(request, changers);
    const first = { list: [{ name: "a", value: "1" }], map: { a: "1" } };
    const second = { list: [{ name: "b", value: "1" }], map: { b: "1" } };
    say(await request("PATCH", `${changers}/c?fieldManager=one`, changer(first), apply));
    say(await request("PATCH", `${changers}/c?fieldManager=two`, changer(second), apply));
    await request(
      "PATCH",
      `${definitions}/changers.apply.example.com`,
      changing({ "x-kubernetes-list-type": "atomic", "x-kubernetes-list-map-keys": null }),
      merge,
    );
    await untilOwned(request, '"f:list":{}');
    say(await request("PATCH", `${changers}/c?fieldManager=one`, changer(first), apply));
    say(await request("PATCH", `${changers}/c?fieldManager=three&force=true`, changer({ map: { a: "2" } }), apply));
    say(await request("PATCH", `${changers}/c?fieldManager=four`, { spec: { list: [] } }, merge));
  },
  "the eleventh updater merges the oldest two": async (request, say) => {
    say(await request("POST", `${core}/configmaps?fieldManager=m0`, configMap("capped", { data: { k0: "v" } })));
    for (let i = 1; i <= 12; i++) {
      say(
        await request(
          "PATCH",
          `${core}/configmaps/capped?fieldManager=m${String(i).padStart(2, "0")}`,
          { data: { [`k${i}`]: "v" } },
          merge,
        ),
      );
    }
    say(
      await request(
        "PATCH",
        `${core}/configmaps/capped?fieldManager=applier`,
        configMap("capped", { data: { x: "1" } }),
        apply,
      ),
    );
  },
  "the manager of a plain write is its user agent": async (request, say) => {
    const options = { userAgent: "kubectl/v1.36.3 (linux/amd64)" };
    say(await request("POST", `${core}/configmaps`, configMap("agents", { data: { a: "1" } }), options));
    say(
      await request(
        "PATCH",
        `${core}/configmaps/agents`,
        { data: { b: "1" } },
        { ...merge, userAgent: "weird agent ü/1" },
      ),
    );
    say(await request("PATCH", `${core}/configmaps/agents?fieldManager=${"x".repeat(129)}`, {}, merge));
    say(await request("PATCH", `${core}/configmaps/agents?fieldManager=a%07`, {}, merge));
  },
  "owners that a client sends are taken over, unless they are nonsense": async (request, say) => {
    const { body } = say(
      await request("POST", `${core}/configmaps?fieldManager=a`, configMap("sent", { data: { a: "1" } })),
    );
    const entry = {
      manager: "other",
      operation: "Update",
      apiVersion: "v1",
      fieldsType: "FieldsV1",
      fieldsV1: { "f:data": { ".": {}, "f:a": {} } },
    };
    for (const managedFields of [
      [entry],
      [{ ...entry, operation: "X" }],
      [{ ...entry, fieldsV1: { "z:a": {} } }],
      [{ ...entry, fieldsType: "" }],
      [],
    ]) {
      say(
        await request("PUT", `${core}/configmaps/sent?fieldManager=b`, {
          ...body,
          metadata: { ...body.metadata, resourceVersion: "", managedFields },
        }),
      );
    }
    say(
      await request("PATCH", `${core}/configmaps/sent?fieldManager=c`, configMap("sent", { data: { b: "1" } }), apply),
    );
  },
  "status, ephemeral containers and the rest are owned at their own endpoints": async (request, say) => {
    say(await request("POST", `${core}/pods?fieldManager=creator`, pod));
    const status = {
      metadata: { labels: { a: "b" } },
      status: { message: "m", conditions: [{ type: "X", status: "True" }] },
    };
    say(await request("PATCH", `${core}/pods/scenario/status?fieldManager=kubelet`, status, strategic));
    say(
      await request(
        "PATCH",
        `${core}/pods/scenario/status?fieldManager=applier`,
        { ...pod, spec: undefined, status: { message: "n" } },
        apply,
      ),
    );
    say(
      await request(
        "PATCH",
        `${core}/pods/scenario/status?fieldManager=applier&force=true`,
        { ...pod, spec: undefined, status: { message: "n" } },
        apply,
      ),
    );
    const debug = {
      metadata: { labels: { x: "y" } },
      spec: { ephemeralContainers: [{ name: "d", image: "busybox" }] },
    };
    say(await request("PATCH", `${core}/pods/scenario/ephemeralcontainers?fieldManager=debugger`, debug, strategic));
  },
  "kubectl moves from its own apply to the server's": async (request, say) => {
    const last = JSON.stringify(configMap("moved", { data: { a: "1", b: "1" } }));
    const annotations = { "kubectl.kubernetes.io/last-applied-configuration": last };
    const object = { ...configMap("moved", { data: { a: "1", b: "1" } }), metadata: { name: "moved", annotations } };
    say(await request("POST", `${core}/configmaps?fieldManager=kubectl-client-side-apply`, object));
    say(await request("PATCH", `${core}/configmaps/moved?fieldManager=other`, { data: { b: "2" } }, merge));
    say(
      await request(
        "PATCH",
        `${core}/configmaps/moved?fieldManager=kubectl`,
        configMap("moved", { data: { a: "2", b: "3" } }),
        apply,
      ),
    );
    say(
      await request(
        "PATCH",
        `${core}/configmaps/moved?fieldManager=kubectl`,
        configMap("moved", { data: { a: "2", b: "2" } }),
        apply,
      ),
    );
  },
  "a secret's text is data, whoever applies it": async (request, say) => {
    const secret = (stringData: object): object => ({
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "texts" },
      stringData,
    });
    say(await request("PATCH", `${core}/secrets/texts?fieldManager=a`, secret({ x: "1", y: "2" }), apply));
    say(await request("PATCH", `${core}/secrets/texts?fieldManager=a`, secret({ x: "3" }), apply));
  },
  "roles, network policies and the like keep their lists as they are": async (request, say) => {
    const role = (...verbs: string[]): object => ({
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "Role",
      metadata: { name: "r" },
      rules: [{ apiGroups: [""], resources: ["pods"], verbs }],
    });
    const roles = "/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles/r";
    say(await request("PATCH", `${roles}?fieldManager=a`, role("get"), apply));
    say(await request("PATCH", `${roles}?fieldManager=b`, role("get", "list"), apply));
    const policy = (from: object): object => ({
      apiVersion: "networking.k8s.io/v1",
      kind: "NetworkPolicy",
      metadata: { name: "n" },
      spec: { podSelector: {}, ingress: [{ from: [from] }] },
    });
    say(
      await request(
        "PATCH",
        "/apis/networking.k8s.io/v1/namespaces/default/networkpolicies/n?fieldManager=a",
        policy({ podSelector: { matchLabels: { a: "b" } } }),
        apply,
      ),
    );
    const account = {
      apiVersion: "v1",
      kind: "ServiceAccount",
      metadata: { name: "sa" },
      imagePullSecrets: [{ name: "x" }],
      secrets: [{ name: "y" }],
    };
    say(await request("PATCH", `${core}/serviceaccounts/sa?fieldManager=a`, account, apply));
    say(
      await request(
        "PATCH",
        `${core}/serviceaccounts/sa?fieldManager=b`,
        { ...account, secrets: [{ name: "z" }] },
        apply,
      ),
    );
  },
};

describe.skipIf(!hasRealCluster())(
  "owners in particular cases, beside a real kube-apiserver (skipped where KUBEBUILDER_ASSETS is not set)",
  () => {
    let both: BothServers;
    beforeAll(async () => {
      both = await bothServers();
    });
    afterAll(() => both?.[Symbol.asyncDispose]());

    test.each(Object.entries(scenarios))("%s", async (_title, scenario) => {
      const answers = async (request: ApiRequest): Promise<unknown[]> => {
        const said: unknown[] = [];
        await scenario(request, (answer) => {
          said.push(seen(answer));
          return answer;
        });
        return said;
      };
      const [theirs, ours] = [await answers(both.real), await answers(both.embedded)];
      expect(ours).toEqual(theirs);
    });
  },
);

function seen({ status, body }: ApiAnswer): unknown {
  if (status >= 300) return { status, message: body.message, causes: body.details?.causes?.length };
  const { metadata, ...content } = body;
  const {
    uid: _uid,
    creationTimestamp: _created,
    resourceVersion: _version,
    generation: _generation,
    managedFields = [],
    ...meta
  } = metadata;
  return { status, content, meta, owners: (managedFields as ManagedFieldsEntry[]).map(ownerOf).toSorted() };
}

function ownerOf({ manager, operation, subresource, fieldsV1 }: ManagedFieldsEntry): string {
  return `${manager} ${operation} ${subresource ?? ""} ${JSON.stringify(fieldsV1)}`;
}
