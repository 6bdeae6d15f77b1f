/** Rules for the selectors and configurations that claims and classes share. */
import { byteLength, type DeviceConfiguration, type DeviceSelector, goJson } from "../../../../api/index.js";
import { isRecord } from "../../../../base/members.js";
import { selectorFault } from "../../../cel/devices/check.js";
import type { Issues, Path } from "../rules/issues.js";
import { driverName, limited } from "./names.js";

const maxSelectors = 32;
export const maxConfigurations: number = 32;
const maxExpressionBytes = 10 * 1024;
export const maxParameterBytes: number = 10 * 1024;

export const selectorRules = (at: Path, selectors: readonly DeviceSelector[] | undefined): Issues =>
  limited(at, selectors, maxSelectors, selectorRule);

function* selectorRule(at: Path, { cel }: DeviceSelector): Issues {
  const here = at.child("cel");
  if (cel === undefined) yield here.required();
  else yield* expressionRule(here.child("expression"), cel.expression ?? "");
}

function* expressionRule(at: Path, expression: string): Issues {
  if (byteLength(expression) > maxExpressionBytes) {
    yield at.tooLong(maxExpressionBytes);
    return;
  }
  const fault = selectorFault(expression);
  if (fault?.type === "wrong") yield at.invalid(expression, fault.message);
  else if (fault?.type === "too complex") yield at.forbidden("too complex, exceeds cost limit");
}

/** `stored` is true for parameters that are as before: they may be longer than the limit. */
export function* configurationRules(at: Path, { opaque }: DeviceConfiguration, stored = false): Issues {
  const here = at.child("opaque");
  if (opaque === undefined) {
    yield here.required();
    return;
  }
  yield* driverName(here.child("driver"), opaque.driver);
  const limit = stored ? Number.POSITIVE_INFINITY : maxParameterBytes;
  yield* documentRules(here.child("parameters"), opaque.parameters, limit);
}

/** A JSON object of bounded length. */
export function* documentRules(at: Path, value: unknown, limit: number): Issues {
  if (value === undefined || value === null) yield at.required();
  else if (byteLength(goJson(value)) > limit) yield at.tooLong(limit);
  else if (!isRecord(value)) yield at.invalid("<value omitted>", "must be a valid JSON object");
}
