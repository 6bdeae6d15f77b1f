/** Bugs towards the rest of the world: children that others touch, errors that are swallowed, writes without an end. */
import { ConfigMap, isConflict, isForbidden, Secret } from "../../../src/api/index.js";
import { TerminalError } from "../../../src/controller/index.js";
import { acto, type Bug, forMaps, namespace, ownedBy, secretOf, usual } from "./bug.js";

const tracker = (what: string): string => `issue trackers of well-known operators: ${what}`;

export const world: readonly Bug[] = [
  {
    name: "children-unwatched",
    about: "The children are not watched: one that is deleted is not made again.",
    source: "datastax/kaap#125, openshift/pagerduty-operator#2",
    controller: (mended) => ({
      for: ConfigMap,
      ...(mended ? { owns: [Secret] } : { writes: [Secret] }),
      name: "unwatched",
      async reconcile({ object, client }) {
        await client.apply(secretOf(object));
      },
    }),
  },
  {
    name: "existence-is-enough",
    about: "A child that is there is taken to be right: a change by others stays.",
    source: "kubernetes-sigs/cluster-api-operator#589, fluxcd/helm-controller#186",
    controller: (mended) => ({
      ...forMaps,
      name: "exists",
      async reconcile({ object, client, cache }) {
        const { name } = object.metadata;
        const child = cache.get(Secret, { namespace, name });
        if (!mended && child !== undefined && child.metadata.labels?.["size"] === object.data?.["size"]) return;
        await client.apply({
          ...secretOf(object),
          metadata: {
            name,
            namespace,
            ownerReferences: ownedBy(object),
            labels: { size: object.data?.["size"] ?? "" },
          },
        });
      },
    }),
  },
  {
    name: "errors-swallowed",
    about: "An error of the server is logged and forgotten.",
    source: "IBM/ibm-common-service-operator#2426",
    controller: (mended) => ({
      ...forMaps,
      name: "swallows",
      async reconcile({ object, client }) {
        try {
          await client.apply(secretOf(object));
        } catch (error) {
          if (mended) throw error;
        }
      },
    }),
  },
  {
    name: "conflicts-ignored",
    about: "A conflict is taken for a sign that somebody else did the work.",
    source: tracker("the object has been modified, and the update is dropped"),
    controller: (mended) => ({
      ...forMaps,
      name: "ignores",
      async reconcile({ object, client }) {
        try {
          await client.apply(secretOf(object));
        } catch (error) {
          if (mended || !isConflict(error)) throw error;
        }
      },
    }),
  },
  {
    name: "quota-is-final",
    about: "A refusal is taken to be final: when the quota is raised, nothing happens.",
    source: acto,
    controller: (mended) => ({
      ...forMaps,
      name: "final",
      async reconcile({ object, client }) {
        try {
          await client.apply(secretOf(object));
        } catch (error) {
          if (!mended && isForbidden(error)) throw new TerminalError("not allowed", { cause: error });
          throw error;
        }
      },
    }),
  },
  {
    name: "three-tries",
    about: "After three failures in a row the key is given up.",
    source: tracker("operators that stop after a maximum of retries"),
    controller: (mended) => ({
      ...forMaps,
      name: "tries",
      ...(mended ? {} : { maxFailures: 3 }),
      async reconcile({ object, client }) {
        await client.apply(secretOf(object));
      },
    }),
  },
  {
    name: "stamps-the-time",
    about: "The child carries the time of the last look: every look is a change, and every change a look.",
    source: "strimzi/strimzi-kafka-operator#13079, stackabletech/operator-rs#1032",
    controller: (mended) => ({
      ...forMaps,
      name: "stamps",
      async reconcile({ object, client, clock }) {
        const seen = mended ? {} : { seen: String(clock.now()) };
        await client.apply(secretOf(object, object.metadata.name, { ...object.data, ...seen }));
      },
    }),
  },
  {
    name: "new-value-each-start",
    about: "A value that differs in each process is part of the desired state: a restart changes everything.",
    source: "humio/humio-operator#246, zalando/postgres-operator#2214",
    controller: (mended) => {
      let process = 0;
      return {
        ...forMaps,
        name: "starts",
        async reconcile({ object, client, clock }) {
          process ||= clock.now();
          const by = mended ? {} : { by: `process of ${process}` };
          await client.apply(secretOf(object, object.metadata.name, { ...object.data, ...by }));
        },
      };
    },
  },
  {
    name: "two-controllers-disagree",
    about: "A field is set to one value for new objects and to another one for old ones, by turns.",
    source: "operator-framework/operator-sdk#3367, jaegertracing/jaeger-operator#963",
    scenario: usual,
    controller: (mended) => ({
      ...forMaps,
      name: "disagrees",
      slowHotLoops: true,
      async reconcile({ object, client, cache }) {
        const { name } = object.metadata;
        const child = cache.get(Secret, { namespace, name });
        const mode = mended || child?.metadata.labels?.["mode"] !== "on" ? "on" : "off";
        await client.apply({
          ...secretOf(object),
          metadata: { name, namespace, ownerReferences: ownedBy(object), labels: { mode } },
        });
      },
    }),
  },
  {
    name: "once-only",
    about: "The child is made for the first state of the owner alone: later changes are not carried over.",
    source: acto,
    scenario: async (tools) => {
      await usual(tools);
    },
    controller: (mended) => ({
      ...forMaps,
      name: "once",
      async reconcile({ object, client, cache, failures }) {
        const { name } = object.metadata;
        if (mended) {
          await client.apply(secretOf(object));
          return;
        }
        // a retry looks at nothing but whether the child is there
        if (failures > 0 && cache.get(Secret, { namespace, name }) !== undefined) return;
        await client.apply(secretOf(object));
      },
    }),
  },
];
