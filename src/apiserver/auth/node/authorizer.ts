/** The Node authorizer: a node may read the objects that its own pods need, and keep its own objects. */
import type { PolicyRule } from "../../../api/index.js";
import type { Authorizer, Decision } from "../../contracts/authorizer.js";
import { readVerbs, type ResourceRequest } from "../../contracts/request.js";
import { allows } from "../rbac/rules.js";
import type { NodeGraph } from "./graph.js";
import { nodeOf } from "./identity.js";

const allowed: Decision = { allowed: true };
const none: Decision = { allowed: false };
const no = (reason: string): Decision => ({ allowed: false, reason });

const leases = "kube-node-lease";
const keeping = new Set(["get", "create", "update", "patch", "delete"]);

const rule = (verbs: string, apiGroups: readonly string[], resources: string): PolicyRule => ({
  verbs: verbs.split(" "),
  apiGroups: [...apiGroups],
  resources: resources.split(" "),
});

/** The rules for resources that are not divided among nodes, as upstream's role `system:node` has them. */
const nodeRules: readonly PolicyRule[] = [
  rule("create", ["authentication.k8s.io"], "tokenreviews"),
  rule("create", ["authorization.k8s.io"], "subjectaccessreviews localsubjectaccessreviews"),
  rule("get list watch", [""], "services"),
  rule("create update patch", ["", "events.k8s.io"], "events"),
  rule("get", [""], "endpoints"),
  rule("create get list watch", ["certificates.k8s.io"], "certificatesigningrequests"),
  rule("get list watch", ["storage.k8s.io"], "csidrivers"),
  rule("get list watch", ["node.k8s.io"], "runtimeclasses"),
];

interface Question {
  readonly node: string;
  readonly request: ResourceRequest;
  readonly graph: NodeGraph;
}

type Judge = (question: Question) => Decision;

/** By group and resource. */
const judges: ReadonlyMap<string, Judge> = new Map<string, Judge>([
  ["/secrets", readNamespaced],
  ["/configmaps", readNamespaced],
  [
    "/persistentvolumeclaims",
    (asked) => (asked.request.subresource === "status" ? updateStatus(asked) : getOne(asked)),
  ],
  ["/persistentvolumes", getOne],
  ["resource.k8s.io/resourceclaims", getOne],
  ["storage.k8s.io/volumeattachments", getOne],
  ["/serviceaccounts", serviceAccount],
  ["coordination.k8s.io/leases", lease],
  ["storage.k8s.io/csinodes", csiNode],
  ["resource.k8s.io/resourceslices", resourceSlice],
  ["/nodes", ownNode],
  ["/pods", pod],
]);

/** Has no opinion about users that are no nodes. The messages are upstream's. */
export function nodeAuthorizer(graph: NodeGraph): Authorizer {
  return (user, request) => {
    const node = nodeOf(user);
    if (node === undefined) return none;
    if (node === "") return no(`unknown node for user ${JSON.stringify(user.username)}`);
    const judge = request.type === "resource" ? judges.get(`${request.group}/${request.resource}`) : undefined;
    if (judge !== undefined) return judge({ node, request: request as ResourceRequest, graph });
    return nodeRules.some((one) => allows(one, request)) ? allowed : none;
  };
}

function related({ node, request, graph }: Question): Decision {
  if (request.name === "") return no("No Object name found");
  if (graph.reaches(node, request.resource, request)) return allowed;
  return no(`no relationship found between node '${node}' and this object`);
}

function readNamespaced(asked: Question): Decision {
  const { verb, subresource, namespace } = asked.request;
  if (!readVerbs.has(verb)) return no("can only read resources of this type");
  if (subresource !== "") return no("cannot read subresource");
  if (namespace === "") return no("can only read namespaced object of this type");
  return related(asked);
}

function getOne(asked: Question): Decision {
  const { verb, subresource } = asked.request;
  if (verb !== "get") return no("can only get individual resources of this type");
  if (subresource !== "") return no("cannot get subresource");
  return related(asked);
}

function updateStatus(asked: Question): Decision {
  const { verb } = asked.request;
  return verb === "update" || verb === "patch" ? related(asked) : no("can only get/update/patch this type");
}

function serviceAccount(asked: Question): Decision {
  const { verb, subresource, name } = asked.request;
  if (verb === "get" && subresource === "") return readNamespaced(asked);
  if (verb !== "create" || name === "") return no("can only create tokens for individual service accounts");
  if (subresource !== "token") return no("can only create token subresource of serviceaccount");
  return related(asked);
}

function lease({ node, request: { verb, namespace, name } }: Question): Decision {
  if (!keeping.has(verb)) return no("can only get, create, update, patch, or delete a node lease");
  if (namespace !== leases) return no(`can only access leases in the "${leases}" system namespace`);
  if (verb !== "create" && name !== node)
    return no("can only access node lease with the same name as the requesting node");
  return allowed;
}

function csiNode({ node, request: { verb, subresource, name } }: Question): Decision {
  if (!keeping.has(verb)) return no("can only get, create, update, patch, or delete a CSINode");
  if (subresource !== "") return no("cannot authorize CSINode subresources");
  if (verb !== "create" && name !== node)
    return no("can only access CSINode with the same name as the requesting node");
  return allowed;
}

function resourceSlice(asked: Question): Decision {
  const { node, request } = asked;
  if (request.subresource !== "") return no("cannot authorize ResourceSlice subresources");
  switch (request.verb) {
    case "create":
      return allowed;
    case "get":
    case "update":
    case "patch":
    case "delete":
      return related(asked);
    case "watch":
    case "list":
    case "deletecollection":
      if (request.fields?.exactMatch("spec.nodeName") === node) return allowed;
      return no("can only list/watch/deletecollection resourceslices with nodeName field selector");
    default:
      return no(
        "only the following verbs are allowed for a ResourceSlice: get, watch, list, create, update, patch, delete, deletecollection",
      );
  }
}

function ownNode({ node, request: { verb, subresource, name } }: Question): Decision {
  const writes = verb === "update" || verb === "patch";
  if (subresource === "status") return writes ? allowed : none;
  if (subresource !== "") return none;
  if (writes || verb === "create") return allowed;
  if (!readVerbs.has(verb)) return none;
  if (name === node) return allowed;
  if (name === "") return no(`node '${node}' cannot read all nodes, only its own Node object`);
  return no(`node '${node}' cannot read '${name}', only its own Node object`);
}

function pod(asked: Question): Decision {
  const { node, request } = asked;
  const { verb, subresource, name, fields } = request;
  if (subresource === "status") return verb === "update" || verb === "patch" ? allowed : none;
  if (subresource === "eviction") return verb === "create" ? allowed : none;
  if (subresource !== "") return none;
  if (verb === "get") return getOne(asked);
  if (verb === "create" || verb === "delete") return allowed;
  if (verb !== "list" && verb !== "watch") return none;
  if (fields?.exactMatch("spec.nodeName") === node) return allowed;
  if (name !== "") return related(asked);
  return no("can only list/watch pods with spec.nodeName field selector");
}
