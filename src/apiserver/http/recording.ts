/** The audit trail of a request from its arrival to the end of its answer. */
import type { HttpRequest } from "../../base/index.js";
import type { Audit } from "../audit/audit.js";
import type { AuditTrail } from "../audit/trail.js";
import type { Answer } from "../contracts/answer.js";
import type { Codec } from "../contracts/codec.js";
import type { RequestInfo } from "../contracts/request.js";
import type { Machinery } from "../contracts/scope.js";
import type { UserInfo } from "../contracts/user.js";
import { endingWith } from "./limits/ending.js";
import { isLongRunning } from "./limits/seats.js";

interface Recorded {
  readonly request: HttpRequest & { readonly from?: string | undefined };
  readonly info: RequestInfo;
  readonly auditId: string;
  readonly machinery: Pick<Machinery, "clock">;
  readonly codecs: readonly Codec[];
}

export class Recording {
  readonly #audit: Audit;
  readonly #about: Recorded;
  readonly #receivedAt: number;
  #trail: AuditTrail | undefined;
  #isKnown = false;

  constructor(audit: Audit, about: Recorded) {
    this.#audit = audit;
    this.#about = about;
    this.#receivedAt = about.machinery.clock.now();
  }

  /** Undefined if the policy leaves the request out. */
  begin(user: UserInfo): AuditTrail | undefined {
    this.#isKnown = true;
    this.#trail = this.#trailOf(user);
    this.#trail?.write("RequestReceived");
    return this.#trail;
  }

  refused(answer: Answer): Answer {
    if (this.#isKnown) return this.#trail?.answered(answer) ?? answer;
    // as upstream, a failed authentication is recorded at this stage alone
    const stranger = this.#trailOf(undefined);
    stranger?.answered(answer);
    stranger?.write("ResponseStarted");
    return answer;
  }

  /** The answer, whose end is recorded. */
  ending(answer: Answer): Answer {
    const trail = this.#trail;
    if (trail === undefined) return answer;
    const { info } = this.#about;
    if (info.verb === "watch" || isLongRunning(info)) trail.write("ResponseStarted");
    const complete = (): void => trail.write("ResponseComplete");
    const { body, tunnel } = answer;
    if (tunnel !== undefined) return { ...answer, tunnel: (client) => tunnel(client).finally(complete) };
    if (!(body instanceof Uint8Array)) return { ...answer, body: endingWith(body, once(complete)) };
    complete();
    return answer;
  }

  #trailOf(user: UserInfo | undefined): AuditTrail | undefined {
    const { request, info, auditId, codecs } = this.#about;
    const { path: uri, headers, from } = request;
    return this.#audit.begin({ info, uri, headers, from, user, auditId, receivedAt: this.#receivedAt, codecs });
  }
}

function once(act: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) act();
    isDone = true;
  };
}
