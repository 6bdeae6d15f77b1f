/** The flags about the security of a server, as a command declares them. */
import { InvalidArgumentError, Option } from "commander";
import { numberParser, parsePath } from "../flags.js";
import { isMode, type Mode, modes } from "./authorization.js";

export const securityOptions = (): readonly Option[] => [
  file(
    "--token-auth-file <file>",
    "accept the bearer tokens in this file: lines of token, user, uid and, in quotes, groups",
  ),
  ...authenticationFlagOptions(),
  ...authorizationFlagOptions(),
  ...auditFlagOptions(),
];

const count = numberParser({ min: 0, max: 1_000_000, what: "a number from 0 to 1000000" });

const file = (flags: string, description: string): Option => new Option(flags, description).argParser(parsePath);

const auditFlagOptions = (): readonly Option[] => [
  file("--audit-policy-file <file>", "record requests by the rules of this Policy of audit.k8s.io/v1"),
  file("--audit-log-path <file>", "write audit events to this file as lines of JSON; - is the standard output"),
  new Option("--audit-log-maxsize <megabytes>", "begin a new file at this size (default: 100)").argParser(count),
  new Option("--audit-log-maxage <days>", "remove old files after these days; 0 keeps them (default: 366)").argParser(
    count,
  ),
  new Option("--audit-log-maxbackup <files>", "keep this many old files; 0 keeps all (default: 100)").argParser(count),
  file("--audit-webhook-config-file <kubeconfig>", "send audit events in batches to the server of this kubeconfig"),
  new Option("--audit-webhook-batch-max-size <events>", "the most events of a batch (default: 400)").argParser(
    numberParser({ min: 1, max: 1_000_000, what: "a number from 1 to 1000000" }),
  ),
  new Option(
    "--audit-webhook-initial-backoff <duration>",
    "the pause before a failed batch is sent again, at first (default: 10s)",
  ),
];

const authenticationFlagOptions = (): readonly Option[] => [
  file("--authentication-config <file>", "issuers of tokens and anonymous users: an AuthenticationConfiguration"),
  file(
    "--authentication-token-webhook-config-file <kubeconfig>",
    "ask this server about tokens that are not known here",
  ),
  new Option(
    "--authentication-token-webhook-version <version>",
    "the version of the questions: v1 or v1beta1 (default)",
  ),
  new Option("--authentication-token-webhook-cache-ttl <duration>", "keep its answers for this time (default: 2m)"),
  file("--client-ca-file <file>", "accept client certificates of these authorities, instead of the server's own"),
  new Option("--oidc-issuer-url <url>", "accept the tokens of this issuer"),
  new Option("--oidc-client-id <id>", "the audience that they must have"),
  file("--oidc-ca-file <file>", "the authorities of the issuer's certificate"),
  new Option("--oidc-username-claim <claim>", "the claim with the name of the user (default: sub)"),
  new Option("--oidc-username-prefix <text>", "put this before names; - for nothing (default: the issuer and #)"),
  new Option("--oidc-groups-claim <claim>", "the claim with the user's groups"),
  new Option("--oidc-groups-prefix <text>", "put this before groups"),
  new Option("--oidc-signing-algs <names>", "the algorithms that tokens may be signed with (default: RS256)"),
  new Option("--oidc-required-claim <claim=value>", "a claim that tokens must have; may be repeated").argParser(
    (text: string, before: readonly string[] | undefined) => [...(before ?? []), text],
  ),
  file(
    "--requestheader-client-ca-file <file>",
    "trust proxies with certificates of these authorities to name their users",
  ),
  new Option("--requestheader-allowed-names <names>", "the common names that a proxy may have (default: any)"),
  new Option("--requestheader-username-headers <names>", "headers with the name (default: X-Remote-User)"),
  new Option("--requestheader-uid-headers <names>", "headers with the uid (default: X-Remote-Uid)"),
  new Option("--requestheader-group-headers <names>", "headers with groups (default: X-Remote-Group)"),
  new Option("--requestheader-extra-headers-prefix <texts>", "prefixes of other headers (default: X-Remote-Extra-)"),
];

function parseModes(text: string): readonly Mode[] {
  const named = text.split(",");
  if (!named.every(isMode) || new Set(named).size !== named.length)
    throw new InvalidArgumentError(`It must be of ${[...modes].join(", ")}, each at most once, with commas between.`);
  return named;
}

const authorizationFlagOptions = (): readonly Option[] => [
  new Option(
    "--authorization-mode <modes>",
    "who may do what, with commas between: RBAC (roles and bindings; the default), Node (nodes, for their pods), ABAC, Webhook, AlwaysAllow, AlwaysDeny",
  ).argParser(parseModes),
  new Option(
    "--authorization-config <file>",
    "the same as an AuthorizationConfiguration, with webhooks and their conditions",
  ).argParser(parsePath),
  new Option(
    "--authorization-policy-file <file>",
    "policies for the mode ABAC: a JSON object a line, of abac.authorization.kubernetes.io/v1beta1",
  ).argParser(parsePath),
  new Option(
    "--authorization-webhook-config-file <kubeconfig>",
    "ask this server about permissions, where the mode Webhook stands",
  ).argParser(parsePath),
  new Option("--authorization-webhook-version <version>", "the version of the questions: v1 or v1beta1 (default)"),
  new Option("--authorization-webhook-cache-authorized-ttl <duration>", "keep permissions for this time (default: 5m)"),
  new Option("--authorization-webhook-cache-unauthorized-ttl <duration>", "keep refusals for this time (default: 30s)"),
];
