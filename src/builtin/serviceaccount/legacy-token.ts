/** Service account tokens without expiry, as Secrets hold them: takes the cluster's token key, gives signed claims. */
import { jwsSigner } from "../../base/x509/jws.js";

interface LegacyTokenSubject {
  readonly namespace: string;
  readonly account: string;
  readonly accountUid: string;
  readonly secret: string;
}

export type LegacyTokenSigner = (subject: LegacyTokenSubject) => string;

/** `pem` is a private key, RSA or on one of the three common curves; throws for any other. */
export function legacyTokenSigner(pem: string): LegacyTokenSigner {
  const sign = jwsSigner(pem);
  return ({ namespace, account, accountUid, secret }) => {
    return sign({
      iss: "kubernetes/serviceaccount",
      "kubernetes.io/serviceaccount/namespace": namespace,
      "kubernetes.io/serviceaccount/secret.name": secret,
      "kubernetes.io/serviceaccount/service-account.name": account,
      "kubernetes.io/serviceaccount/service-account.uid": accountUid,
      sub: `system:serviceaccount:${namespace}:${account}`,
    });
  };
}
