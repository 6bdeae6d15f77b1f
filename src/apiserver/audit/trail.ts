/** The audit event of one request while it is answered: gathers its facts, and writes it at each recorded stage. */
import { headerValues } from "../../base/http.js";
import { isIP } from "node:net";
import { formatMicroTime, type KubeObject, type Status } from "../../api/index.js";
import { exactJson, parseExactJson } from "../../api/values/exact-json.js";
import { defined } from "../../base/defined.js";
import { type HttpHeaders, inOneGo } from "../../base/index.js";
import type { Answer } from "../contracts/answer.js";
import type { Decision } from "../contracts/authorizer.js";
import type { Codec } from "../contracts/codec.js";
import type { RequestInfo } from "../contracts/request.js";
import type { UserInfo } from "../contracts/user.js";
import { type AuditStage, includes, type Verdict } from "./policy.js";
import type { EventText } from "./sink.js";

/** Larger request and response objects are left out, and the event says so. */
const maxObjectBytes = 2 * 1024 * 1024;
/** A larger answer is no Status. */
const maxStatusBytes = 64 * 1024;
const maxAgentLength = 1024;

export interface AuditedRequest {
  readonly info: RequestInfo;
  /** The path with its query, as sent. */
  readonly uri: string;
  readonly headers: HttpHeaders;
  /** Undefined if authentication failed. */
  readonly user: UserInfo | undefined;
  readonly auditId: string;
  /** The client's address, if the request came over a network. */
  readonly from: string | undefined;
  readonly receivedAt: number;
  readonly codecs: readonly Codec[];
}

interface TrailParts {
  readonly verdict: Verdict;
  now(): number;
  emit(event: EventText): void;
}

/** The parts that are not empty, by the names of upstream's ObjectReference. */
type ObjectRef = Readonly<Record<string, string>>;

export class AuditTrail {
  readonly #request: AuditedRequest;
  readonly #parts: TrailParts;
  readonly #annotations: Record<string, string> = {};
  #impersonated: UserInfo | undefined;
  #constraint: string | undefined;
  #ref: ObjectRef | undefined;
  #status: Partial<Status> | undefined;
  /** JSON. */
  #sent: string | undefined;
  #answered: string | undefined;

  constructor(request: AuditedRequest, parts: TrailParts) {
    this.#request = request;
    this.#parts = parts;
    this.#ref = refOf(request.info);
  }

  get isRecordingObjects(): boolean {
    return includes(this.#parts.verdict.level, "Request");
  }

  /** `constraint` is the verb that permits it, if its permission is one for certain requests. */
  impersonated(user: UserInfo, constraint: string | undefined): void {
    this.#impersonated = user;
    this.#constraint = constraint;
  }

  decided({ allowed, reason = "", errors }: Decision): void {
    if (!allowed && errors !== undefined) {
      this.#annotations["authorization.k8s.io/reason"] = "internal error";
      return;
    }
    this.#annotations["authorization.k8s.io/decision"] = allowed ? "allow" : "forbid";
    this.#annotations["authorization.k8s.io/reason"] = reason;
  }

  /** The first value of a key stays. An event below the level goes without. */
  annotate(key: string, value: string, level: "Metadata" | "Request" = "Metadata"): void {
    if (includes(this.#parts.verdict.level, level)) this.#annotations[key] ??= value;
  }

  /** The object that the client sent, with its defaults. */
  sent(object: KubeObject): void {
    const { name, namespace, uid, resourceVersion } = object.metadata ?? {};
    const found = withoutEmpty({ name, namespace, uid, resourceVersion });
    this.#ref = { ...found, ...this.#ref };
    if (this.isRecordingObjects) this.#sent = this.#bounded(exactJson(this.#shown(object)));
  }

  /** As upstream, the patch stands for the object. */
  patched(bytes: Uint8Array): void {
    if (!this.isRecordingObjects) return;
    const text = Buffer.from(bytes).toString();
    try {
      this.#sent = this.#bounded(exactJson(parseExactJson(text)));
    } catch {
      // a patch in YAML has no place in JSON
      this.#sent = this.#bounded(JSON.stringify(text));
    }
  }

  /** Takes the answer before it is compressed; gives it to go on with, because a long body is read as it is sent. */
  answered(answer: Answer): Answer {
    const { status, body, forwarded } = answer;
    this.#status = { ...this.#status, code: status };
    if (forwarded === true) return answer;
    if (body instanceof Uint8Array) {
      this.#take(answer, body);
      return answer;
    }
    if (!this.#recordsAnswer() || this.#request.info.verb === "watch") return answer;
    const kept: Uint8Array[] = [];
    let size = 0;
    const take = (piece: Uint8Array): void => {
      size += piece.length;
      if (size <= maxObjectBytes) kept.push(piece);
      else kept.length = 0;
    };
    const done = (): void => {
      if (size > maxObjectBytes) this.#truncated();
      else this.#take(answer, Buffer.concat(kept));
    };
    return { ...answer, body: observed(body, take, done) };
  }

  write(stage: AuditStage): void {
    const { verdict, now, emit } = this.#parts;
    if (verdict.omitStages.has(stage)) return;
    const { info, uri, user, auditId, from, headers, receivedAt } = this.#request;
    const agent = String(headers["user-agent"] ?? "");
    const at = stage === "RequestReceived" ? receivedAt : now();
    const annotations = Object.keys(this.#annotations).length === 0 ? undefined : this.#annotations;
    const head = {
      level: verdict.level,
      auditID: auditId,
      stage,
      requestURI: uri,
      verb: info.verb,
      user: user === undefined ? {} : userOf(user),
      ...defined({ impersonatedUser: this.#impersonated && userOf(this.#impersonated) }),
      ...defined({ authenticationMetadata: this.#constraint && { impersonationConstraint: this.#constraint } }),
      ...defined({ sourceIPs: sourcesOf(headers, from) }),
      ...defined({ userAgent: shortened(agent) || undefined, objectRef: this.#ref }),
      ...defined({ responseStatus: this.#status && { metadata: {}, ...this.#status } }),
    };
    const tail = {
      requestReceivedTimestamp: formatMicroTime(receivedAt * 1_000),
      stageTimestamp: formatMicroTime(at * 1_000),
      ...defined({ annotations }),
    };
    const objects = `${member("requestObject", this.#sent)}${member("responseObject", this.#answered)}`;
    emit(`${JSON.stringify(head).slice(0, -1)},${objects}${JSON.stringify(tail).slice(1)}`);
  }

  #recordsAnswer(): boolean {
    return includes(this.#parts.verdict.level, "RequestResponse");
  }

  #take(answer: Answer, body: Uint8Array): void {
    const isWanted = this.#recordsAnswer();
    if (!isWanted && body.length > maxStatusBytes) return;
    if (body.length > maxObjectBytes) return this.#truncated();
    const type = String(answer.headers["content-type"] ?? "").split(";")[0] ?? "";
    if (type !== "application/json") {
      const codec = this.#request.codecs.find(({ mediaType }) => mediaType === type);
      if (codec !== undefined) this.#takeObject(decoded(codec, body), answer.status);
      return;
    }
    const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString().trimEnd();
    const isPlain = !text.includes("\n") && !this.#parts.verdict.omitManagedFields;
    if (text.includes('"Status"') || (isWanted && !isPlain)) {
      this.#takeObject(parseExactJson(text) as KubeObject, answer.status, isPlain ? text : undefined);
    } else if (isWanted && this.#isObject(text)) this.#answered = text;
  }

  /** Documents of the server that are no objects, such as its version, are not recorded. */
  #isObject(text: string): boolean {
    return this.#request.info.type === "resource" || /^\{"(?:kind|apiVersion)":/.test(text);
  }

  /** `text` is the object as JSON in one line, if it is there already. */
  #takeObject(object: KubeObject | undefined, code: number, text?: string): void {
    if (typeof object?.kind !== "string") return;
    if (object.kind === "Status" && object.apiVersion === "v1") this.#status = statusOf(object, code);
    if (this.#recordsAnswer()) this.#answered = text ?? exactJson(this.#shown(object));
  }

  #truncated(): void {
    this.annotate("audit.k8s.io/truncated", "true");
  }

  #bounded(json: string): string | undefined {
    if (json.length <= maxObjectBytes) return json;
    this.#truncated();
    return undefined;
  }

  /** Without managedFields, if the policy says so. */
  #shown(object: KubeObject): unknown {
    if (!this.#parts.verdict.omitManagedFields) return object;
    const { items, rows } = object as { readonly items?: unknown; readonly rows?: unknown };
    if (Array.isArray(items)) return { ...object, items: items.map(unmanaged) };
    if (Array.isArray(rows)) {
      const row = (one: { readonly object?: unknown }): unknown =>
        one?.object === undefined ? one : { ...one, object: unmanaged(one.object) };
      return { ...object, rows: rows.map(row) };
    }
    return unmanaged(object);
  }
}

function unmanaged(object: unknown): unknown {
  const { metadata } = (object ?? {}) as { readonly metadata?: object };
  if (typeof metadata !== "object" || metadata === null || !("managedFields" in metadata)) return object;
  const { managedFields: _, ...rest } = metadata;
  return { ...(object as object), metadata: rest };
}

function decoded(codec: Codec, body: Uint8Array): KubeObject | undefined {
  try {
    return inOneGo(codec.decode(body, undefined)).object;
  } catch {
    return undefined;
  }
}

/** The fields of a Status whose size is bounded. */
function statusOf(object: KubeObject, code: number): Partial<Status> {
  const { status, message, reason, details } = object as unknown as Partial<Status>;
  return { ...defined({ status, message, reason, details }), code };
}

const member = (name: string, json: string | undefined): string => (json === undefined ? "" : `"${name}":${json},`);

function userOf({ username, uid, groups, extra }: UserInfo): object {
  return withoutEmpty<unknown>({ username, uid, groups: groups.length === 0 ? undefined : groups, extra });
}

function withoutEmpty<V>(fields: Readonly<Record<string, V | undefined>>): Readonly<Record<string, V>> {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined && value !== "");
  return Object.fromEntries(entries) as Record<string, V>;
}

function refOf(info: RequestInfo): ObjectRef | undefined {
  if (info.type === "other") return undefined;
  const { resource, namespace, name, group: apiGroup, version: apiVersion, subresource } = info;
  return withoutEmpty({ resource, namespace, name, apiGroup, apiVersion, subresource });
}

const shortened = (agent: string): string =>
  agent.length > maxAgentLength ? `${agent.slice(0, maxAgentLength)}...TRUNCATED` : agent;

/** The addresses that proxies have told of, then that of the connection. */
function sourcesOf(headers: HttpHeaders, from: string | undefined): readonly string[] | undefined {
  const forwarded = headerValues(headers, "x-forwarded-for").flatMap((text) => text.split(","));
  const real = headerValues(headers, "x-real-ip");
  const told = [...forwarded, ...real].map((text) => text.trim()).filter((text) => isIP(text) !== 0);
  const own = from?.replace(/^::ffff:(?=\d+\.)/, "");
  const all = [...told, ...(own === undefined || told.at(-1) === own ? [] : [own])];
  return all.length === 0 ? undefined : all;
}

/** The body, of which each piece and the end are told. */
async function* observed(
  body: AsyncIterable<Uint8Array>,
  take: (piece: Uint8Array) => void,
  done: () => void,
): AsyncGenerator<Uint8Array> {
  for await (const piece of body) {
    take(piece);
    yield piece;
  }
  done();
}
