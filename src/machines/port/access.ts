/** Decides about a request to a kubelet's port, as a kubelet with webhook authentication and authorization does: gives the refusal, if any. */
import type { IncomingMessage } from "node:http";
import type { TLSSocket } from "node:tls";
import { SubjectAccessReview, TokenReview } from "../../api/index.js";
import { messageOf } from "../../base/index.js";
import type { PortContext } from "./context.js";

export interface PortRefusal {
  readonly status: 401 | 403 | 500;
  readonly text: string;
}

interface Caller {
  readonly user: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

const unauthorized: PortRefusal = { status: 401, text: "Unauthorized" };

/** Undefined if the request is allowed. Never rejects. */
export async function refusalAtPort(
  { request, node }: { readonly request: IncomingMessage; readonly node: string },
  context: Pick<PortContext, "client">,
): Promise<PortRefusal | undefined> {
  try {
    const caller = certified(request.socket as TLSSocket) ?? (await byToken(request, context));
    if (caller === undefined) return unauthorized;
    // the server itself, which need not be asked about itself
    if (caller.groups.includes("system:masters")) return undefined;
    return await forbidden(caller, { node, verb: verbOf(request.method), parts: subresourcesOf(request.url) }, context);
  } catch (error) {
    return { status: 500, text: `Authorization error: ${messageOf(error)}` };
  }
}

function certified(socket: TLSSocket): Caller | undefined {
  if (!socket.authorized) return undefined;
  // a name that occurs more than once is a list, which the types leave out
  const { CN, O } = socket.getPeerCertificate().subject as { readonly CN?: Several; readonly O?: Several };
  const [user] = listOf(CN);
  return user === undefined ? undefined : { user, groups: [...listOf(O), "system:authenticated"] };
}

type Several = string | readonly string[];

const listOf = (names: Several = []): readonly string[] => (typeof names === "string" ? [names] : names);

async function byToken(
  { headers }: IncomingMessage,
  { client }: Pick<PortContext, "client">,
): Promise<Caller | undefined> {
  const token = /^bearer +(\S+)$/i.exec(headers.authorization ?? "")?.[1];
  if (token === undefined) return undefined;
  const { status } = await client.resource(TokenReview).create({ metadata: {}, spec: { token } });
  if (status?.authenticated !== true) return undefined;
  const { username: user = "", groups = [], ...rest } = status.user ?? {};
  return { user, groups, ...rest };
}

interface Access {
  readonly node: string;
  readonly verb: string;
  readonly parts: readonly string[];
}

async function forbidden(
  caller: Caller,
  { node, verb, parts }: Access,
  { client }: Pick<PortContext, "client">,
): Promise<PortRefusal | undefined> {
  for (const subresource of parts) {
    const resourceAttributes = { verb, version: "v1", resource: "nodes", subresource, name: node };
    const spec = { ...caller, resourceAttributes };
    const { status } = await client.resource(SubjectAccessReview).create({ metadata: {}, spec });
    if (status?.allowed === true) return undefined;
  }
  const asked = `user=${caller.user}, verb=${verb}, resource=nodes, subresource(s)=[${parts.join(" ")}]`;
  return { status: 403, text: `Forbidden (${asked})\n` };
}

const verbs: ReadonlyMap<string | undefined, string> = new Map([
  ["POST", "create"],
  ["GET", "get"],
  ["PUT", "update"],
  ["PATCH", "patch"],
  ["DELETE", "delete"],
]);

const verbOf = (method: string | undefined): string => verbs.get(method) ?? "";

const subresources: ReadonlyMap<string | undefined, readonly string[]> = new Map([
  ["stats", ["stats"]],
  ["metrics", ["metrics"]],
  ["logs", ["log"]],
  ["pods", ["pods", "proxy"]],
  ["runningpods", ["pods", "proxy"]],
  ["healthz", ["healthz", "proxy"]],
]);

/** The subresources of the node of which one permits the path; as upstream, by its first segment as it is written. */
function subresourcesOf(url = "/"): readonly string[] {
  const [path = ""] = url.split("?");
  return subresources.get(path.split("/")[1]) ?? ["proxy"];
}
