/** Checks the expressions of a policy against the types of the objects that it matches; gives warnings in upstream's words. */
import type { ExpressionWarning, ValidatingAdmissionPolicy } from "../../../api/index.js";
import { compile } from "../compile.js";
import type { CelEnvironment } from "../checker/environment.js";
import { CelSyntaxError } from "../syntax/source.js";
import * as types from "../values/types.js";
import type { Type } from "../values/types.js";
import { environmentFor, type Names } from "./environment.js";
import { type OpenApiDocument, SchemaTypes } from "./schema-types.js";
import { defined } from "../../../base/defined.js";

/** A kind, and the document that describes it; without one its objects may have any type. */
interface DescribedKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly document: OpenApiDocument | undefined;
}

/** The kinds that a policy is about, as far as its rules name them. */
export interface PolicyKinds {
  readonly objects: readonly DescribedKind[];
  /** Undefined if the policy takes no parameters. */
  readonly params: DescribedKind | undefined;
}

/** An environment for each kind. */
interface Checking {
  readonly title: string;
  readonly environment: CelEnvironment;
}

/** The warnings about all validations, in their order; empty if there is nothing to say. */
export function policyWarnings(
  { spec = {} }: ValidatingAdmissionPolicy,
  { objects, params }: PolicyKinds,
): readonly ExpressionWarning[] {
  const checking = objects.flatMap((one): readonly Checking[] => {
    const schemas = new SchemaTypes();
    const object = typeIn(schemas, one, 0);
    if (object === undefined) return [];
    const names: Names = {
      params: params !== undefined,
      // as upstream, whose check knows no types of variables
      variables: "any",
      authorizer: true,
      typed: { object, params: (params && typeIn(schemas, params, 1)) ?? types.dyn, types: schemas },
    };
    const title = `${one.group}/${one.version}, Kind=${one.kind}`;
    return [{ title, environment: environmentFor(names) }];
  });
  return (spec.validations ?? []).flatMap(({ expression, messageExpression }, index) => {
    const at = `spec.validations[${index}]`;
    const named = { expression, ...defined({ messageExpression: messageExpression || undefined }) };
    return Object.entries(named).flatMap(([field, text]) => {
      const warning = warningAbout(text, checking);
      return warning === "" ? [] : [{ fieldRef: `${at}.${field}`, warning }];
    });
  });
}

/** The number makes the name of the type unique, as a number does upstream. */
function typeIn(schemas: SchemaTypes, { document, ...kind }: DescribedKind, unique: number): Type | undefined {
  return document && schemas.objectType(document, kind, `${kind.kind}${unique}`);
}

function warningAbout(expression: string, checking: readonly Checking[]): string {
  const found = checking.flatMap(({ title, environment }) => {
    try {
      compile(expression, environment);
      return [];
    } catch (error) {
      if (!(error instanceof CelSyntaxError)) throw error;
      return [`${title}: ${error.message}\n`];
    }
  });
  return found.join("\n");
}
