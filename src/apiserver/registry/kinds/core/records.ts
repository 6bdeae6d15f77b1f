/** Strategies of events, endpoints and pod templates. */
import {
  type Endpoints,
  type EndpointAddress,
  type Event,
  fieldPath,
  type PodTemplate,
  semanticEqual,
} from "../../../../api/index.js";
import type { Strategy } from "../../../contracts/strategy.js";
import { templateDefaults } from "../pod/defaults/pod-defaults.js";
import { podTemplate } from "../pod/template.js";
import { portProtocols } from "../pod/validation/environment.js";
import { endpointAddress, ipAddress } from "../rules/addresses.js";
import { changed, each, filled } from "../rules/fill.js";
import {
  inTurn,
  dns1123Label,
  dns1123Subdomain,
  formed,
  immutable,
  type Issues,
  oneOf,
  type Path,
  portNumber,
  qualifiedName,
} from "../rules/issues.js";

import { finalizerDomains, subdomainName } from "../rules/names.js";

const hourMs = 3_600_000;

function* eventRules(event: Event, group: string): Issues {
  const { namespace = "" } = event.metadata;
  const about = event.involvedObject?.namespace ?? "";
  const mismatch = fieldPath("involvedObject", "namespace").invalid(about, "does not match event.namespace");
  if (event.eventTime === undefined) {
    const fits = about === "" ? namespace === "" || namespace === "default" : about === namespace;
    if (!fits) yield mismatch;
  } else {
    if (about === "" && namespace !== "default" && namespace !== "kube-system") yield mismatch;
    yield* newEventRules(event, group === "" ? "reportingComponent" : "reportingController");
  }
  yield* dns1123Subdomain(fieldPath("namespace"), namespace);
}

/** Stricter rules for events with an eventTime, which only newer clients set. */
function* newEventRules(event: Event, controller: string): Issues {
  const { reportingComponent = "", message = "" } = event;
  if (reportingComponent === "") yield fieldPath(controller).required();
  yield* qualifiedName(fieldPath(controller), reportingComponent);
  for (const field of ["reportingInstance", "action", "reason"] as const) {
    const text = event[field] ?? "";
    if (text === "") yield fieldPath(field).required();
    if (text.length > 128) yield fieldPath(field).invalid("", "can have at most 128 characters");
  }
  if (message.length > 1024) yield fieldPath("message").invalid("", "can have at most 1024 characters");
}

/** Rules of the events.k8s.io group: the deprecated fields must be empty. */
function* strictRules(event: Event): Issues {
  yield* strictName(event.metadata);
  yield* finalizerDomains(event.metadata.finalizers);
  yield* seriesRules(event);
  if (event.eventTime === undefined) yield fieldPath("eventTime").required();
  const { type = "" } = event;
  if (type !== "Normal" && type !== "Warning") {
    yield fieldPath("type").invalid("", `has invalid value: ${type}`);
  }
  const { firstTimestamp, lastTimestamp, count, source } = event;
  const old = { firstTimestamp, lastTimestamp, count, source: source?.component || source?.host };
  for (const [field, value] of Object.entries(old)) {
    if (value) yield fieldPath(field).invalid("", "needs to be unset");
  }
}

function* strictName({ name, generateName }: Event["metadata"]): Issues {
  if (generateName)
    yield* formed(fieldPath("metadata", "generateName"), generateName, subdomainName(generateName, true));
  if (name) yield* dns1123Subdomain(fieldPath("metadata", "name"), name);
}

function* seriesRules({ series }: Event): Issues {
  if (series === undefined) return;
  if ((series.count ?? 0) < 2) yield fieldPath("series.count").invalid("", "should be at least 2");
  if (!series.lastObservedTime) yield fieldPath("series.lastObservedTime").required();
}

const fixed = {
  involvedObject: "involvedObject",
  reason: "reason",
  message: "message",
  source: "source",
  firstTimestamp: "firstTimestamp",
  lastTimestamp: "lastTimestamp",
  count: "count",
  type: "type",
  eventTime: "eventTime",
  action: "action",
  related: "related",
  reportingComponent: "reportingController",
  reportingInstance: "reportingInstance",
} as const satisfies Partial<Record<keyof Event, string>>;

/** Fields whose absent value is shown as an empty text. */
const texts: ReadonlySet<string> = new Set(["reason", "message", "type", "action", "reportingComponent"]);

/** Of such an event only the series may change. */
function* strictChanges(event: Event, old: Event): Issues {
  yield* finalizerDomains(event.metadata.finalizers);
  if (!semanticEqual(event.series, old.series)) yield* seriesRules(event);
  for (const [field, name] of Object.entries(fixed) as readonly (readonly [keyof typeof fixed, string])[]) {
    const none = texts.has(field) ? "" : undefined;
    yield* immutable(fieldPath(name), event[field] ?? none, old[field] ?? none);
  }
}

const involved = ["kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"] as const;

export const eventStrategy: Strategy<Event> = {
  group: "",
  kind: "Event",
  lenient: { finalizers: true },
  judgesMetadataLast: (group) => group === "",
  // the garbage collector ignores events
  defaultPropagation: "Unsupported",
  allowCreateOnUpdate: true,
  ttlMs: hourMs,
  validateName: () => [],
  validateCreate: (event, { group }) => inTurn(eventRules(event, group), group === "" ? [] : strictRules(event)),
  validateUpdate: (event, old, { group }) =>
    inTurn(eventRules(event, group), group === "" ? [] : strictChanges(event, old)),
  selectableFieldAliases: {
    "events.k8s.io": new Map([
      ...involved.map((field) => [`regarding.${field}`, `involvedObject.${field}`] as const),
      ["reason", "reason"],
      ["reportingController", "reportingComponent"],
      ["type", "type"],
    ]),
  },
  selectableFields: {
    ...Object.fromEntries(
      involved.map((field) => [`involvedObject.${field}`, (event: Event) => event.involvedObject?.[field] ?? ""]),
    ),
    reason: ({ reason = "" }) => reason,
    reportingComponent: ({ reportingComponent = "" }) => reportingComponent,
    source: ({ source, reportingComponent = "" }) => source?.component || reportingComponent,
    type: ({ type = "" }) => type,
  },
};

function* endpointsRules(endpoints: Endpoints): Issues {
  for (const [at, subset] of fieldPath("subsets").items(endpoints.subsets)) {
    const { addresses = [], notReadyAddresses = [], ports = [] } = subset;
    if (addresses.length + notReadyAddresses.length === 0) {
      yield at.required("must specify `addresses` or `notReadyAddresses`");
    }
    for (const [list, all] of Object.entries({ addresses, notReadyAddresses })) {
      for (const [place, address] of at.child(list).items(all)) yield* addressRules(place, address);
    }
    for (const [here, port] of at.child("ports").items(ports)) {
      if (port.name) yield* dns1123Label(here.child("name"), port.name);
      else if (ports.length > 1) yield here.child("name").required();
      yield* portNumber(here.child("port"), port.port);
      yield* oneOf(here.child("protocol"), port.protocol, portProtocols);
      if (port.appProtocol !== undefined) yield* qualifiedName(here.child("appProtocol"), port.appProtocol);
    }
  }
}

function* addressRules(at: Path, { ip, hostname, nodeName }: EndpointAddress): Issues {
  yield* ipAddress(at.child("ip"), ip);
  if (hostname) yield* dns1123Label(at.child("hostname"), hostname);
  if (nodeName !== undefined) yield* dns1123Subdomain(at.child("nodeName"), nodeName);
  yield* endpointAddress(at.child("ip"), ip);
}

export const endpointsStrategy: Strategy<Endpoints> = {
  group: "",
  kind: "Endpoints",
  allowCreateOnUpdate: true,
  setDefaults: (endpoints) =>
    changed(endpoints, "subsets", (subsets) =>
      each(subsets, (subset) =>
        changed(subset, "ports", (ports) => each(ports, (port) => filled(port, { protocol: "TCP" }))),
      ),
    ),
  validateCreate: endpointsRules,
  validateUpdate: (endpoints, old) =>
    semanticEqual(endpoints.subsets, old.subsets) ? [] : [...endpointsRules(endpoints)],
};

export const podTemplateStrategy: Strategy<PodTemplate> = {
  group: "",
  kind: "PodTemplate",
  lenient: { prefixOnUpdate: true },
  deleteReturnsObject: true,
  generation: (now, old) => !semanticEqual(now.template, old.template),
  setDefaults: (object) => changed(object, "template", templateDefaults),
  validateCreate: (object) => podTemplate(fieldPath("template"), object.template ?? {}),
};
