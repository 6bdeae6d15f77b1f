/** Rules for probes and lifecycle hooks of a container. */
import {
  type HTTPGetAction,
  isHttpHeaderName,
  type Lifecycle,
  type LifecycleHandler,
  type PodOS,
  type Probe,
  type ExecAction,
} from "../../../../../api/index.js";
import {
  formed,
  type Issues,
  nonNegativeFields,
  optionalOneOf,
  type Path,
  portNumberOrName,
  requiredFields,
} from "../../rules/issues.js";

/** The pod's grace period in seconds; undefined if it is itself invalid. */
type Grace = number | undefined;

type Handler = Pick<Probe, "exec" | "httpGet" | "tcpSocket" | "grpc"> & Pick<LifecycleHandler, "sleep">;

function* handler(at: Path, action: Handler, grace: Grace): Issues {
  const rules: readonly (readonly [keyof Handler, (at: Path) => Issues])[] = [
    ["exec", (here) => requiredFields(here, action.exec as ExecAction, "command")],
    ["httpGet", (here) => httpGet(here, action.httpGet as HTTPGetAction)],
    ["tcpSocket", (here) => portNumberOrName(here.child("port"), action.tcpSocket?.port)],
    ["grpc", (here) => portNumberOrName(here.child("port"), action.grpc?.port)],
    ["sleep", (here) => sleep(here, action.sleep?.seconds ?? 0, grace)],
  ];
  let found = 0;
  for (const [name, rule] of rules) {
    if (action[name] === undefined) continue;
    if (found > 0) yield at.child(name).forbidden("may not specify more than 1 handler type");
    else yield* rule(at.child(name));
    found++;
  }
  if (found === 0) yield at.required("must specify a handler type");
}

function* httpGet(at: Path, { path = "", port, scheme, httpHeaders = [] }: HTTPGetAction): Issues {
  if (path === "") yield at.child("path").required();
  yield* portNumberOrName(at.child("port"), port);
  yield* optionalOneOf(at.child("scheme"), scheme ?? "", ["HTTP", "HTTPS"]);
  for (const { name } of httpHeaders) yield* formed(at.child("httpHeaders"), name, isHttpHeaderName(name));
}

function* sleep(at: Path, seconds: number, grace: Grace): Issues {
  if (grace !== undefined && (seconds < 0 || seconds > grace)) {
    const why = `must be non-negative and less than terminationGracePeriodSeconds (${grace})`;
    yield at.invalid(seconds, why);
  }
}

const probeNumbers = ["initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold"];

export function* probe(at: Path, kind: "liveness" | "readiness" | "startup", given: Probe, grace: Grace): Issues {
  yield* handler(at, given, grace);
  yield* nonNegativeFields(at, given, probeNumbers);
  const period = given.terminationGracePeriodSeconds;
  if (period !== undefined && period <= 0) {
    yield at.child("terminationGracePeriodSeconds").invalid(period, "must be greater than 0");
  }
  if (kind === "readiness") {
    if (period !== undefined) {
      yield at.child("terminationGracePeriodSeconds").invalid(period, "must not be set for readinessProbes");
    }
  } else if (given.successThreshold !== 1) {
    yield at.child("successThreshold").invalid(given.successThreshold ?? 0, "must be 1");
  }
}

const linuxSignals: readonly string[] = [
  ..."ABRT ALRM BUS CHLD CLD CONT FPE HUP ILL INT IO IOT KILL PIPE POLL PROF PWR QUIT RTMAX".split(" "),
  ...Array.from({ length: 14 }, (_, i) => `RTMAX-${i + 1}`),
  "RTMIN",
  ...Array.from({ length: 15 }, (_, i) => `RTMIN+${i + 1}`),
  ..."SEGV STKFLT STOP SYS TERM TRAP TSTP TTIN TTOU URG USR1 USR2 VTALRM WINCH XCPU XFSZ".split(" "),
]
  .map((name) => `SIG${name}`)
  .sort();

export function* lifecycle(
  at: Path,
  given: Lifecycle,
  context: { readonly grace: Grace; readonly os: PodOS | undefined },
): Issues {
  const { postStart, preStop, stopSignal } = given;
  if (postStart !== undefined) yield* handler(at.child("postStart"), postStart, context.grace);
  if (preStop !== undefined) yield* handler(at.child("preStop"), preStop, context.grace);
  if (stopSignal === undefined) return;
  const here = at.child("stopSignal");
  const known = context.os?.name === "windows" ? ["SIGKILL", "SIGTERM"] : linuxSignals;
  if (context.os === undefined) yield here.forbidden("may not be set for containers with empty `spec.os.name`");
  else yield* optionalOneOf(here, stopSignal, known);
}
