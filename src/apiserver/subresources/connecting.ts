/** Asks admission about connections (exec, attach, port forwarding, proxies): gives a verb that is carried out only if they are allowed. */
import type { KubeObject } from "../../api/index.js";
import { lookup } from "../../base/members.js";
import { subresourceOf } from "../contracts/endpoint.js";
import { readScope } from "../http/exchange.js";
import type { VerbRequest, Verb } from "../http/verbs.js";
import { mutate, validate } from "../registry/write/admit.js";

export function connecting(verb: Verb): Verb {
  return async (operation) => {
    const { exchange, endpoint, info } = operation;
    const { namespace, name, subresource } = info;
    const target = { endpoint, namespace, name, subresource, scope: readScope(exchange) };
    const asked = { operation: "CONNECT", object: connectionOptions(operation) } as const;
    await validate(target, { ...asked, object: await mutate(target, asked) });
    return verb(operation);
  };
}

type Form = (values: readonly string[]) => unknown;

const flag: Form = ([first = ""]) => ["true", "1"].includes(first) || undefined;
const text: Form = ([first = ""]) => first || undefined;
const texts: Form = (values) => (values.length === 0 ? undefined : values);
const numbers: Form = (values) => (values.length === 0 ? undefined : values.map(Number));

const streams = { stdin: flag, stdout: flag, stderr: flag, tty: flag, container: text };

/** The options of each subresource. */
const forms: Readonly<Record<string, Readonly<Record<string, Form>>>> = lookup({
  exec: { ...streams, command: texts },
  attach: streams,
  portforward: { ports: numbers },
  proxy: { path: text },
});

/** The query as an object: all that admission sees of a connection. Empty values are left out. */
function connectionOptions({ exchange: { query }, endpoint, info: { subresource, rest } }: VerbRequest): KubeObject {
  const kind = subresourceOf(endpoint, subresource)?.kind.kind ?? "";
  const options: Record<string, unknown> = { kind, apiVersion: "v1" };
  for (const [name, form] of Object.entries(forms[subresource] ?? {})) {
    const value = form(query.getAll(name));
    if (value !== undefined) options[name] = value;
  }
  if (subresource === "proxy" && rest.length > 0) options["path"] = `/${rest.join("/")}`;
  return options as unknown as KubeObject;
}
