/** Takes the text of an AuthenticationConfiguration (apiserver.config.k8s.io); gives the issuers of tokens and the rules about anonymous users. */
import { pemCertificates } from "../../../base/x509/certificate.js";
import { X509Certificate } from "node:crypto";
import { type FieldPath } from "../../../api/index.js";
import { withoutEndSlashes } from "../../../base/net/end-slashes.js";
import { readConfiguration, type Section } from "../../configuration/section.js";
import type { AnonymousConfiguration } from "../anonymous.js";
import {
  claimMappings,
  readClaimRules,
  type ClaimRules,
  type Mappings,
  userRules,
  type UserRule,
} from "./mapping-fields.js";
import { repeats } from "../../../base/members.js";

/** One issuer of JSON Web Tokens. */
export interface JwtConfiguration {
  readonly url: string;
  /** The place of the discovery document, if it is not below `url`. */
  readonly discoveryUrl: string | undefined;
  /** The authorities of the issuer's certificate, in PEM; those of the machine if absent. */
  readonly ca: string | undefined;
  readonly audiences: readonly string[];
  readonly rules: ClaimRules;
  readonly mappings: Mappings;
  readonly userRules: readonly UserRule[];
}

export interface AuthenticationConfiguration {
  readonly issuers: readonly JwtConfiguration[];
  /** Undefined if the file says nothing about them. */
  readonly anonymous: AnonymousConfiguration | undefined;
}

const versions = ["v1", "v1beta1", "v1alpha1"].map((version) => `apiserver.config.k8s.io/${version}`);
const maxIssuers = 64;

/**
 * Throws a ConfigurationError, in which the faulty fields are named as kube-apiserver names them. The issuer of service
 * account tokens is disallowed.
 */
export function readAuthenticationConfiguration(
  text: string,
  disallowed: readonly string[] = [],
): AuthenticationConfiguration {
  const expected = { kind: "AuthenticationConfiguration", apiVersions: versions, strict: true };
  const { value } = readConfiguration(text, expected, (file) => ({
    issuers: issuersIn(file, new Set(disallowed)),
    anonymous: anonymousIn(file),
  }));
  return value;
}

function issuersIn(file: Section, disallowed: ReadonlySet<string>): readonly JwtConfiguration[] {
  const sections = file.sections("jwt");
  if (sections.length > maxIssuers) {
    file.fault(file.at("jwt").tooMany(sections.length, maxIssuers));
    return [];
  }
  const [isRepeatedUrl, isRepeatedDiscovery] = [repeats(), repeats()];
  return sections.map((section) => {
    const part = section.part("issuer");
    const issuer = issuerIn(part, disallowed);
    const rules = readClaimRules(section);
    const mappings = claimMappings(section.part("claimMappings"), rules);
    const configuration = { ...issuer, rules, mappings, userRules: userRules(section) };
    const { url, discoveryUrl } = issuer;
    if (isRepeatedUrl(url)) file.fault(part.at("url").duplicate(url));
    if (discoveryUrl === undefined) return configuration;
    if (isRepeatedDiscovery(discoveryUrl)) file.fault(part.at("discoveryURL").duplicate(discoveryUrl));
    return configuration;
  });
}

type Issuer = Pick<JwtConfiguration, "url" | "discoveryUrl" | "ca" | "audiences">;

function issuerIn(issuer: Section, disallowed: ReadonlySet<string>): Issuer {
  const [url, discoveryUrl] = [issuer.text("url"), issuer.text("discoveryURL")];
  if (url === "") issuer.fault(issuer.at("url").required());
  else urlFaults(issuer, issuer.at("url"), { url, disallowed });
  if (discoveryUrl !== "") {
    const at = issuer.at("discoveryURL");
    if (url !== "" && withoutEndSlashes(url) === withoutEndSlashes(discoveryUrl))
      issuer.fault(at.invalid(discoveryUrl, "discoveryURL must be different from URL"));
    urlFaults(issuer, at, { url: discoveryUrl, disallowed: new Set() });
  }
  const audiences = audiencesIn(issuer);
  const ca = issuer.text("certificateAuthority");
  const fault = ca === "" ? undefined : authorityFault(ca);
  if (fault !== undefined) issuer.fault(issuer.at("certificateAuthority").invalid("<omitted>", fault));
  const egress = issuer.text("egressSelectorType");
  if (egress !== "") egressFault(issuer, egress);
  return { url, discoveryUrl: discoveryUrl || undefined, ca: ca || undefined, audiences };
}

/** Egress selectors are part of a configuration that this server does not take. */
function egressFault(issuer: Section, type: string): void {
  const isKnown = type === "controlplane" || type === "cluster";
  const why = isKnown ? "egress selectors are not supported" : "egress selector must be either controlplane or cluster";
  issuer.fault(issuer.at("egressSelectorType").invalid(type, why));
}

interface CheckedUrl {
  readonly url: string;
  readonly disallowed: ReadonlySet<string>;
}

/** Reads the parts as Go's `url.Parse` does, which takes nearly every text. */
function urlFaults(section: Section, at: FieldPath, { url, disallowed }: CheckedUrl): void {
  const faults: string[] = [];
  if (disallowed.has(url)) {
    const all = [...disallowed].toSorted().join(" ");
    faults.push(`URL must not overlap with disallowed issuers: [${all}]`);
  }
  const [beginning = "", scheme = ""] = /^([a-z][a-z0-9+.-]*):/i.exec(url) ?? [];
  const [place = "", authority = ""] = /^\/\/([^/?#]*)/.exec(url.slice(beginning.length)) ?? [];
  const rest = url.slice(beginning.length + place.length);
  if (url.startsWith(":")) faults.push(`parse ${JSON.stringify(url)}: missing protocol scheme`);
  else if (scheme.toLowerCase() !== "https") faults.push("URL scheme must be https");
  if (authority.includes("@")) faults.push("URL must not contain a username or password");
  if (/^[^#]*\?[^#]/.test(rest)) faults.push("URL must not contain a query");
  if (/#./s.test(rest)) faults.push("URL must not contain a fragment");
  if (faults.length === 0 && !URL.canParse(url)) faults.push("it is no URL");
  for (const why of faults) section.fault(at.invalid(url, why));
}

function audiencesIn(issuer: Section): readonly string[] {
  const at = issuer.at("audiences");
  const audiences = issuer.texts("audiences");
  const policy = issuer.text("audienceMatchPolicy");
  if (audiences.length === 0) {
    issuer.fault(at.required(`at least one ${at} is required`));
    return audiences;
  }
  const isRepeat = repeats();
  for (const [here, audience] of at.items(audiences)) {
    if (audience === "") issuer.fault(here.required());
    if (isRepeat(audience)) issuer.fault(here.duplicate(audience));
  }
  const policyAt = issuer.at("audienceMatchPolicy");
  if (audiences.length > 1 && policy !== "MatchAny")
    issuer.fault(policyAt.invalid(policy, "audienceMatchPolicy must be MatchAny for multiple audiences"));
  if (audiences.length === 1 && policy !== "" && policy !== "MatchAny")
    issuer.fault(policyAt.invalid(policy, "audienceMatchPolicy must be empty or MatchAny for single audience"));
  return audiences;
}

/** The reason why the text holds no certificates. */
function authorityFault(pem: string): string | undefined {
  const blocks = pemCertificates(pem);
  const isReadable = (block: string): boolean => {
    try {
      new X509Certificate(block);
      return true;
    } catch {
      return false;
    }
  };
  if (blocks.length > 0 && blocks.every(isReadable)) return undefined;
  return "data does not contain any valid RSA or ECDSA certificates";
}

function anonymousIn(file: Section): AnonymousConfiguration | undefined {
  const section = file.section("anonymous");
  if (section === undefined) return undefined;
  const enabled = section.flag("enabled") ?? false;
  const paths = section.sections("conditions").map((condition) => condition.text("path"));
  if (!enabled && paths.length > 0) {
    const at = section.at("conditions");
    const why = "enabled should be set to true when conditions are defined";
    section.fault(
      at.invalid(
        paths.map((Path) => ({ Path })),
        why,
      ),
    );
  }
  return { enabled, paths };
}
