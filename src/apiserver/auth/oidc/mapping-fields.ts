/** Reads the rules by which an AuthenticationConfiguration judges the claims of a token and makes a user of them. */
import { domainPrefixedPath } from "../../../api/errors/domain-path.js";
import { type IdentityExpression, identityExpression, type IdentitySubject } from "../../cel/identity/expressions.js";
import type { Section } from "../../configuration/section.js";
import { repeats } from "../../../base/members.js";

/** A value that comes from one claim, or from an expression about all of them. */
export type Source =
  | { readonly type: "claim"; readonly claim: string; readonly prefix: string }
  | { readonly type: "expression"; readonly expression: IdentityExpression };

export interface ClaimRules {
  /** Claims that must have these texts as values. */
  readonly required: ReadonlyMap<string, string>;
  readonly expressions: readonly Rule[];
}

/** An expression that must be true. */
export interface Rule {
  readonly expression: IdentityExpression;
  readonly message: string;
}

export type UserRule = Rule;

export interface Mappings {
  readonly username: Source;
  readonly groups: Source | undefined;
  readonly uid: Source | undefined;
  readonly extra: readonly { readonly key: string; readonly expression: IdentityExpression }[];
}

const both = "claim and expression can't both be set";
const notSet: Source = { type: "claim", claim: "", prefix: "" };

/** Undefined, and a fault, for an expression that cannot be used. */
function compiled(
  section: Section,
  name: string,
  { subject, result }: { readonly subject: IdentitySubject; readonly result: "bool" | "any" },
): IdentityExpression | undefined {
  const text = section.text(name);
  const expression = identityExpression(text, subject, result);
  if (typeof expression !== "string") return expression;
  section.fault(section.at(name).invalid(text, expression));
  return undefined;
}

export function readClaimRules(issuer: Section): ClaimRules {
  const required = new Map<string, string>();
  const expressions: Rule[] = [];
  const isRepeat = repeats();
  for (const rule of issuer.sections("claimValidationRules")) {
    const [claim, text, message] = [rule.text("claim"), rule.text("expression"), rule.text("message")];
    const value = rule.text("requiredValue");
    const here = rule.path as NonNullable<Section["path"]>;
    if (claim !== "" && text !== "") rule.fault(here.invalid(claim, both));
    else if (claim === "" && text === "") rule.fault(here.required("claim or expression is required"));
    else if (claim !== "") {
      if (message !== "") rule.fault(rule.at("message").invalid(message, "may not be specified when claim is set"));
      if (required.has(claim)) rule.fault(rule.at("claim").duplicate(claim));
      required.set(claim, value);
    } else {
      if (value !== "")
        rule.fault(rule.at("requiredValue").invalid(value, "may not be specified when expression is set"));
      if (isRepeat(text)) rule.fault(rule.at("expression").duplicate(text));
      else {
        const expression = compiled(rule, "expression", { subject: "claims", result: "bool" });
        if (expression !== undefined) expressions.push({ expression, message });
      }
    }
  }
  return { required, expressions };
}

export function userRules(issuer: Section): readonly UserRule[] {
  const isRepeat = repeats();
  return issuer.sections("userValidationRules").flatMap((rule) => {
    const [text, message] = [rule.text("expression"), rule.text("message")];
    if (text === "") rule.fault(rule.at("expression").required());
    else if (isRepeat(text)) rule.fault(rule.at("expression").duplicate(text));
    else {
      const expression = compiled(rule, "expression", { subject: "user", result: "bool" });
      return expression === undefined ? [] : [{ expression, message }];
    }
    return [];
  });
}

export function claimMappings(mappings: Section, rules: ClaimRules): Mappings {
  const username = prefixed(mappings.part("username"), true);
  const groups = prefixed(mappings.part("groups"), false);
  const uid = uidSource(mappings.part("uid"));
  const extra = extraMappings(mappings);
  const verified = [...rules.expressions, ...extra].some(({ expression }) => expression.reads("email_verified"));
  if (username?.type === "expression") {
    const { text, reads } = username.expression;
    if (reads("email") && !reads("email_verified") && !verified) {
      const places =
        "claimMappings.username.expression or claimMappings.extra[*].valueExpression or claimValidationRules[*].expression";
      const why = `claims.email_verified must be used in ${places} when claims.email is used in claimMappings.username.expression`;
      mappings.fault(mappings.at("username").child("expression").invalid(text, why));
    }
  }
  return { username: username ?? notSet, groups, uid, extra };
}

function prefixed(source: Section, isRequired: boolean): Source | undefined {
  const [claim, text] = [source.text("claim"), source.text("expression")];
  const prefix = source.text("prefix");
  const here = source.path as NonNullable<Section["path"]>;
  if (claim !== "" && text !== "") source.fault(here.invalid("", both));
  else if (text !== "") {
    if (source.has("prefix"))
      source.fault(source.at("prefix").invalid(prefix, "may not be specified when expression is set"));
    const expression = compiled(source, "expression", { subject: "claims", result: "any" });
    return expression && { type: "expression", expression };
  } else if (claim !== "") {
    const why = "prefix is required when claim is set. It can be set to an empty string to disable prefixing";
    if (!source.has("prefix")) source.fault(source.at("prefix").required(why));
    return { type: "claim", claim, prefix };
  } else if (isRequired) source.fault(here.required("claim or expression is required"));
  return undefined;
}

function uidSource(source: Section): Source | undefined {
  const [claim, text] = [source.text("claim"), source.text("expression")];
  const here = source.path as NonNullable<Section["path"]>;
  if (claim !== "" && text !== "") source.fault(here.invalid("", both));
  else if (claim !== "") return { type: "claim", claim, prefix: "" };
  else if (text !== "") {
    const expression = compiled(source, "expression", { subject: "claims", result: "any" });
    return expression && { type: "expression", expression };
  }
  return undefined;
}

function extraMappings(mappings: Section): Mappings["extra"] {
  const isRepeat = repeats();
  return mappings.sections("extra").flatMap((mapping) => {
    const [key, text] = [mapping.text("key"), mapping.text("valueExpression")];
    const at = mapping.at("key");
    for (const fault of domainPrefixedPath(at, key)) mapping.fault(fault);
    if (key !== key.toLowerCase()) mapping.fault(at.invalid(key, "must be lowercase"));
    if (/^(?:[^/]*\.)?(?:kubernetes|k8s)\.io\//.test(key)) {
      const why = "k8s.io, kubernetes.io and their subdomains are reserved for Kubernetes use";
      mapping.fault(at.invalid(key, why));
    }
    if (isRepeat(key)) mapping.fault(at.duplicate(key));
    else {
      if (text === "") mapping.fault(mapping.at("valueExpression").required());
      else {
        const expression = compiled(mapping, "valueExpression", { subject: "claims", result: "any" });
        if (expression !== undefined) return [{ key, expression }];
      }
    }
    return [];
  });
}
