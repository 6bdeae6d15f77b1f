/** The options of webhooks: the author's functions about a kind, and the address under which the server finds them. */
import {
  checkResourceType,
  type FieldError,
  type KubeObject,
  type LabelSelector,
  type MatchCondition,
  type ResourceType,
  type UserInfo,
} from "../api/index.js";
import { checkOptions, type OptionRule, shown } from "../base/index.js";

/** A request as an author's function sees it. Objects are frozen: a change makes a new one. */
export interface Review<T extends KubeObject> {
  readonly operation: "CREATE" | "UPDATE" | "DELETE";
  /** The object as it would be stored; for a deletion, the object that is to go. */
  readonly object: T;
  /** The object before an update; undefined for other operations. */
  readonly old: T | undefined;
  readonly name: string;
  /** "" in cluster scope. */
  readonly namespace: string;
  /** "" for the object itself. Of `scale` and the like, `object` has the form of that subresource. */
  readonly subresource: string;
  readonly user: UserInfo;
  /** True if nothing will be stored. */
  readonly dryRun: boolean;
  /** Aborts when the time for an answer is over. */
  readonly signal: AbortSignal;
}

/** A fault of one field, `fieldPath("spec", "size").invalid(3, "must be even")` or `{ field, message }`, or a text. */
export type Complaint = FieldError | { readonly field: string; readonly message: string } | string;

/** Nothing, or an empty list, allows the request. */
export type Verdict = Complaint | readonly Complaint[] | undefined | void;

type Answer<A> = A | Promise<A>;

export interface WebhookOptions<T extends KubeObject> {
  /** The kind that it is about, custom or built-in. */
  readonly for: ResourceType<T>;
  /** Tells several webhooks of one kind apart, e.g. `quota`. */
  readonly name?: string;
  /** Judges creations and updates, after all defaults. */
  readonly validate?: (review: Review<T>) => Answer<Verdict>;
  /** Judges deletions. */
  readonly validateDelete?: (review: Review<T>) => Answer<Verdict>;
  /** Gives the object with its defaults; the server gets the difference. */
  readonly default?: (review: Review<T>) => Answer<T>;
  /** Texts that the user of kubectl sees; the request goes on. */
  readonly warn?: (review: Review<T>) => Answer<string | readonly string[] | undefined | void>;
  /** The operations that `validate`, `default` and `warn` see. Default: both. */
  readonly operations?: readonly ("CREATE" | "UPDATE")[];
  /** Default: none; the object itself is always meant. */
  readonly subresources?: readonly string[];
  readonly matchConditions?: readonly MatchCondition[];
  readonly namespaceSelector?: LabelSelector;
  readonly objectSelector?: LabelSelector;
  /** The fate of a request whose webhook does not answer: it is refused (the default), or goes on without the answer. */
  readonly failurePolicy?: "Fail" | "Ignore";
  /** The server's patience, 1 to 30; default 10. The author's functions get a little less. */
  readonly timeoutSeconds?: number;
}

export type AnyWebhook = WebhookOptions<KubeObject>;

const rules = {
  for: "object",
  name: "text",
  validate: "function",
  validateDelete: "function",
  default: "function",
  warn: "function",
  operations: "list",
  subresources: "list",
  matchConditions: "list",
  namespaceSelector: "object",
  objectSelector: "object",
  failurePolicy: "text",
  timeoutSeconds: { min: 1, max: 30, whole: true },
} as const satisfies Record<keyof AnyWebhook, OptionRule>;

/** Throws for an option that must be a mistake. */
export function checkWebhookOptions(options: WebhookOptions<never>): void {
  const kind = (Object(Object(options).for) as Partial<ResourceType>).kind;
  const of = typeof kind === "string" ? `webhook of ${kind}` : "a webhook";
  checkOptions(options, { of, rules, required: ["for"] });
  checkResourceType(`${of}: for`, options.for);
  const { validate, validateDelete, default: fill, warn, operations = [], failurePolicy = "Fail", name } = options;
  if (validate === undefined && validateDelete === undefined && fill === undefined && warn === undefined)
    throw new TypeError(`${of}: it does nothing; give validate, validateDelete, default or warn`);
  for (const one of operations)
    if (one !== "CREATE" && one !== "UPDATE")
      throw new TypeError(`${of}: operations are CREATE and UPDATE, not ${shown(one)}; validateDelete sees deletions`);
  if (failurePolicy !== "Fail" && failurePolicy !== "Ignore")
    throw new TypeError(`${of}: failurePolicy is Fail or Ignore, not ${shown(failurePolicy)}`);
  if (name !== undefined && !/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(name))
    throw new TypeError(`${of}: name ${shown(name)} must be lower case letters, digits and hyphens`);
}

/** The service in front of the manager's pods. */
export interface WebhookService {
  readonly name: string;
  readonly namespace: string;
  /** The service's port; default 443. */
  readonly port?: number;
}

/** A Secret in which the manager keeps certificates of its own making, or a folder into which others put theirs. */
export type CertificateSource =
  | { readonly secret: { readonly name: string; readonly namespace: string } }
  | { readonly directory: string };

export interface WebhookServerOptions {
  /** The name of this program's webhook configurations. */
  readonly name: string;
  /** Default: all addresses with a service, the loopback without one. */
  readonly host?: string;
  /** Default 9443; 0 takes any free port. */
  readonly port?: number;
  /** Without a service the server is told the address on which this program listens. */
  readonly service?: WebhookService;
  readonly certificates: CertificateSource;
}

const serverRules = {
  name: "text",
  host: "text",
  port: { max: 65_535, whole: true },
  service: "object",
  certificates: "object",
} as const satisfies Record<keyof WebhookServerOptions, OptionRule>;

export function checkWebhookServerOptions(options: WebhookServerOptions): void {
  const of = "manager: webhooks";
  checkOptions(options, { of, rules: serverRules, required: ["name", "certificates"] });
  const { service, certificates } = options;
  const place = { name: "text", namespace: "text" } as const;
  if (service !== undefined)
    checkOptions(service, {
      of: `${of}: service`,
      rules: { ...place, port: { min: 1, max: 65_535, whole: true } },
      required: ["name", "namespace"],
    });
  checkOptions(certificates, { of: `${of}: certificates`, rules: { secret: "object", directory: "text" } });
  const { secret, directory } = certificates as { readonly secret?: object; readonly directory?: string };
  if ((secret === undefined) === (directory === undefined))
    throw new TypeError(`${of}: certificates takes either secret or directory`);
  if (secret !== undefined)
    checkOptions(secret, { of: `${of}: certificates.secret`, rules: place, required: ["name", "namespace"] });
}
