/** A request for access as the spec of a SubjectAccessReview, for a webhook and for the conditions in front of it. */
import { defined, unlessEmpty } from "../../../base/defined.js";
import { type FieldSelector, parseLabelSelector, type SelectorOperator } from "../../../api/index.js";
import type { RequestInfo, ResourceRequest } from "../../contracts/request.js";
import type { UserInfo } from "../../contracts/user.js";

interface Requirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

export interface AccessSpec {
  readonly resourceAttributes?: Readonly<Record<string, unknown>>;
  readonly nonResourceAttributes?: { readonly path?: string; readonly verb?: string };
  readonly user?: string;
  readonly groups?: readonly string[];
  readonly extra?: UserInfo["extra"];
  readonly uid?: string;
}

/** Without empty members, as Go's encoder leaves them out. */
export function specOf({ username, groups, uid, extra }: UserInfo, request: RequestInfo): AccessSpec {
  const about =
    request.type === "other"
      ? { nonResourceAttributes: withoutEmpty({ path: request.path, verb: request.verb }) }
      : { resourceAttributes: attributesOf(request) };
  return {
    ...about,
    ...withoutEmpty({ user: username }),
    ...defined({ groups: unlessEmpty(groups), extra }),
    ...withoutEmpty({ uid: uid ?? "" }),
  };
}

const withoutEmpty = (record: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(record).filter(([, value]) => value !== ""));

function attributesOf(request: ResourceRequest): Readonly<Record<string, unknown>> {
  const { namespace, verb, group, version, resource, subresource, name, fields, labels } = request;
  return {
    ...withoutEmpty({ namespace, verb, group, version, resource, subresource, name }),
    ...selector("fieldSelector", fields === undefined ? [] : fieldRequirements(fields)),
    ...selector("labelSelector", labels === undefined ? [] : labelRequirements(labels)),
  };
}

const selector = (name: string, requirements: readonly Requirement[]): object =>
  requirements.length === 0 ? {} : { [name]: { requirements } };

function fieldRequirements(fields: FieldSelector): readonly Requirement[] {
  return fields.requirements.map(({ field, operator, value }) => ({
    key: field,
    operator: operator === "!=" ? "NotIn" : "In",
    values: [value],
  }));
}

const operators: ReadonlyMap<SelectorOperator, string> = new Map([
  ["=", "In"],
  ["==", "In"],
  ["in", "In"],
  ["!=", "NotIn"],
  ["notin", "NotIn"],
  ["exists", "Exists"],
  ["!", "DoesNotExist"],
]);

/** A selector only narrows a request, so parts that a review cannot express are left out. */
function labelRequirements(text: string): readonly Requirement[] {
  try {
    return parseLabelSelector(text).requirements.flatMap(({ key, operator: written, values }) => {
      const operator = operators.get(written);
      return operator === undefined ? [] : [{ key, operator, ...defined({ values: unlessEmpty(values) }) }];
    });
  } catch {
    // a malformed selector is reported later
    return [];
  }
}

/** The members that conditions may read are all there, even if they are empty. */
export function shownToConditions({ resourceAttributes, ...spec }: AccessSpec): object {
  const names = { namespace: "", verb: "", group: "", version: "", resource: "", subresource: "", name: "" };
  return {
    user: "",
    groups: [],
    uid: "",
    extra: {},
    ...spec,
    ...(resourceAttributes === undefined ? {} : { resourceAttributes: { ...names, ...resourceAttributes } }),
  };
}
