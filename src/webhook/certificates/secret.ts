/** Keeps certificates in a Secret that all replicas share: the first replica makes them, the others read them. */
import { isAlreadyExists, isConflict, Secret } from "../../api/index.js";
import type { Client } from "../../client/index.js";
import type { KeyPair } from "../server.js";
import { type Certificates, type Plan, planned } from "./plan.js";

const fields = ["tls.crt", "tls.key", "ca.crt", "ca.key"] as const;

export interface SecretName {
  readonly name: string;
  readonly namespace: string;
}

/** The certificates to use now. Certificates that were due for renewal have been renewed and stored. */
export async function certificatesIn(
  client: Pick<Client, "resource">,
  { name, namespace }: SecretName,
  { plan, signal }: { readonly plan: () => Plan; readonly signal: AbortSignal },
): Promise<Certificates> {
  const secrets = client.resource(Secret);
  for (;;) {
    const found = await secrets.getOrUndefined({ name, namespace }, { signal });
    const present = found && readSecret(found);
    const next = planned(present, plan());
    if (next === present) return next;
    try {
      if (found === undefined)
        await secrets.create(
          { metadata: { name, namespace }, type: "kubernetes.io/tls", data: dataOf(next) },
          { signal },
        );
      // with the resourceVersion that was read: of two replicas one wins
      else await secrets.update({ ...found, data: { ...found.data, ...dataOf(next) } }, { signal });
      return next;
    } catch (error) {
      if (!isConflict(error) && !isAlreadyExists(error)) throw error;
    }
  }
}

/** Undefined if the Secret does not hold certificates of this form: they are then made anew. */
function readSecret({ data = {} }: Secret): Certificates | undefined {
  const [certificate = "", key = "", bundle = "", keys = ""] = fields.map((field) =>
    Buffer.from(data[field] ?? "", "base64").toString(),
  );
  const [certificates, authorityKeys] = [blocks(bundle), blocks(keys)];
  if (certificate === "" || key === "" || certificates.length === 0) return undefined;
  if (certificates.length !== authorityKeys.length) return undefined;
  return {
    serving: { key, certificate },
    authorities: certificates.map((one, i): KeyPair => ({ certificate: one, key: authorityKeys[i] as string })),
  };
}

function dataOf({ serving, authorities }: Certificates): Record<string, string> {
  const texts = {
    "tls.crt": serving.certificate,
    "tls.key": serving.key,
    "ca.crt": authorities.map(({ certificate }) => certificate).join(""),
    "ca.key": authorities.map(({ key }) => key).join(""),
  };
  return Object.fromEntries(
    Object.entries(texts).map(([field, text]) => [field, Buffer.from(text).toString("base64")]),
  );
}

/** The blocks of a PEM text. */
const blocks = (text: string): readonly string[] =>
  (text.match(/-----BEGIN [^-]+-----[^-]+-----END [^-]+-----/g) ?? []).map((block) => `${block}\n`);
