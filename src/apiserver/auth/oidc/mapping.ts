/** Takes the claims of a verified token; gives the user whom they describe by the rules of a configuration, or the reason to refuse them. */
import { lookup } from "../../../base/members.js";
import { claimValue } from "../../cel/identity/claims.js";
import { type IdentityExpression, textsOf } from "../../cel/identity/expressions.js";
import type { Value } from "../../cel/values/value.js";
import type { UserInfo } from "../../contracts/user.js";
import type { JwtConfiguration } from "./configuration.js";
import type { Rule, Source } from "./mapping-fields.js";
import { defined } from "../../../base/defined.js";

export type Claims = Readonly<Record<string, unknown>>;

/** Ends the mapping of claims that make no user; the message is upstream's. */
export class BadClaims extends Error {
  override readonly name = "BadClaims";
}

type Rules = Pick<JwtConfiguration, "rules" | "mappings" | "userRules">;

/** Throws a BadClaims. */
export function userOf(claims: Claims, { rules, mappings, userRules }: Rules): UserInfo {
  const value = claimValue(claims);
  const username = usernameOf(claims, value, mappings.username);
  const groups = mappings.groups === undefined ? [] : groupsOf(claims, value, mappings.groups);
  const uid = mappings.uid === undefined ? "" : uidOf(claims, value, mappings.uid);
  const extra = extraOf(claims, value, mappings.extra);
  const user = { username, groups, ...defined({ uid: uid || undefined }), ...(isEmpty(extra) ? {} : { extra }) };
  for (const [claim, wanted] of rules.required) requireClaim(claims, claim, wanted);
  require(rules.expressions, value, "claim validation expression");
  require(userRules, claimValue({ username, uid, groups, extra }), "user info validation rule");
  return user;
}

const isEmpty = (record: object): boolean => Object.keys(record).length === 0;

const goNames: Readonly<Record<string, string>> = lookup({ number: "number", boolean: "bool", string: "string" });

/** Throws Go's words about a claim that is absent or no text. As in Go, null is an empty text. */
function textClaim(claims: Claims, name: string, told: (why: string) => string): string {
  if (!Object.hasOwn(claims, name)) throw new BadClaims(told("claim not present"));
  const value = claims[name];
  if (value === null) return "";
  if (typeof value === "string") return value;
  throw new BadClaims(told(`json: cannot unmarshal ${kindOf(value)} into Go value of type string`));
}

const kindOf = (value: unknown): string => goNames[typeof value] ?? (Array.isArray(value) ? "array" : "object");

/** The value of an expression; throws if the expression fails. */
function valueOf(expression: IdentityExpression, claims: Value, told: (why: string) => string): Value {
  const value = expression.run(claims);
  if (value instanceof Error) throw new BadClaims(told(value.message));
  return value;
}

function usernameOf(claims: Claims, value: Value, source: Source): string {
  if (source.type === "expression") {
    const failed = (why: string): string => `oidc: error evaluating username claim expression: ${why}`;
    const name = valueOf(source.expression, value, failed);
    if (typeof name !== "string") throw new BadClaims(failed("username claim expression must return a string"));
    if (name === "") throw new BadClaims("oidc: empty username via CEL expression is not allowed");
    return name;
  }
  const { claim, prefix } = source;
  const name = textClaim(claims, claim, (why) => `oidc: parse username claims ${JSON.stringify(claim)}: ${why}`);
  if (claim === "email" && Object.hasOwn(claims, "email_verified")) {
    const verified = claims["email_verified"];
    if (typeof verified !== "boolean" && verified !== null) {
      const why = `json: cannot unmarshal ${kindOf(verified)} into Go value of type bool`;
      throw new BadClaims(`oidc: parse 'email_verified' claim: ${why}`);
    }
    if (verified !== true) throw new BadClaims("oidc: email not verified");
  }
  return prefix + name;
}

function groupsOf(claims: Claims, value: Value, source: Source): readonly string[] {
  if (source.type === "expression") {
    const failed = (why: string): string => `oidc: error evaluating group claim expression: ${why}`;
    return listOf(valueOf(source.expression, value, failed), failed);
  }
  const { claim, prefix } = source;
  if (!Object.hasOwn(claims, claim)) return [];
  const given = claims[claim];
  if (given === null) return [];
  const list = Array.isArray(given) ? given : [given];
  // as in Go, null in a list is an empty text
  const groups = list.map((group: unknown) => (group === null ? "" : group));
  if (groups.every((group) => typeof group === "string")) return groups.map((group) => prefix + group);
  const why = `json: cannot unmarshal ${kindOf(given)} into Go value of type string`;
  throw new BadClaims(`oidc: parse groups claim ${JSON.stringify(claim)}: ${why}`);
}

function listOf(value: Value, failed: (why: string) => string): readonly string[] {
  const texts = textsOf(value);
  if (texts === undefined) throw new BadClaims(failed("expression must return a string or a list of strings"));
  return texts;
}

function uidOf(claims: Claims, value: Value, source: Source): string {
  if (source.type === "claim") {
    const { claim } = source;
    return textClaim(claims, claim, (why) => `oidc: parse uid claim ${JSON.stringify(claim)}: ${why}`);
  }
  const failed = (why: string): string => `oidc: error evaluating uid claim expression: ${why}`;
  const uid = valueOf(source.expression, value, failed);
  if (typeof uid !== "string") throw new BadClaims(failed("uid claim expression must return a string"));
  return uid;
}

function extraOf(
  { jti }: Claims,
  value: Value,
  mappings: Rules["mappings"]["extra"],
): Readonly<Record<string, readonly string[]>> {
  const extra: [string, readonly string[]][] = [];
  if (typeof jti === "string" && jti !== "") extra.push(["authentication.kubernetes.io/credential-id", [`JTI=${jti}`]]);
  for (const { key, expression } of mappings) {
    const given = valueOf(expression, value, (why) => why);
    const failed = (why: string): string => `oidc: error evaluating extra claim expression: ${expression.text}: ${why}`;
    const texts = listOf(given, failed);
    if (texts.length > 0) extra.push([key, texts]);
  }
  return Object.fromEntries(extra);
}

function requireClaim(claims: Claims, claim: string, wanted: string): void {
  if (!Object.hasOwn(claims, claim)) throw new BadClaims(`oidc: required claim ${claim} not present in ID token`);
  const got = textClaim(claims, claim, (why) => `oidc: parse claim ${claim}: ${why}`);
  if (got !== wanted)
    throw new BadClaims(`oidc: required claim ${claim} value does not match. Got = ${got}, want = ${wanted}`);
}

function require(rules: readonly Rule[], value: Value, what: string): void {
  const failed = (why: string): string => `oidc: error evaluating ${what}: ${why}`;
  // as upstream, all are evaluated before the first that is false refuses
  const results = rules.map((rule) => ({ rule, holds: valueOf(rule.expression, value, failed) }));
  for (const { rule, holds } of results) {
    if (holds === true) continue;
    const { expression, message } = rule;
    throw new BadClaims(failed(`validation expression '${expression.text}' failed: ${message}`));
  }
}
