/** Validates how versions of a custom kind are converted. */
import {
  type CustomResourceConversion,
  fieldForbidden,
  fieldInvalid,
  fieldNotSupported,
  type FieldPath,
  fieldRequired,
  isDns1035Label,
  type StatusCause,
} from "../../api/index.js";
import { clientRules } from "../registry/kinds/access/webhooks.js";

const strategies = ["None", "Webhook"];
const reviewVersions = ["v1", "v1beta1"];

export function conversionErrors(
  conversion: CustomResourceConversion | undefined,
  at: FieldPath,
): readonly StatusCause[] {
  if (conversion === undefined) return [];
  const { strategy, webhook } = conversion;
  const errors: StatusCause[] = [];
  if (!strategy) errors.push(fieldRequired(at.child("strategy")));
  else if (!strategies.includes(strategy)) errors.push(fieldNotSupported(at.child("strategy"), strategy, strategies));
  const config = at.child("webhookClientConfig");
  const versions = webhook?.conversionReviewVersions ?? [];
  if (strategy === "Webhook") {
    if (webhook?.clientConfig === undefined)
      errors.push(fieldRequired(config, "required when strategy is set to Webhook"));
    else errors.push(...clientRules(config, webhook.clientConfig));
    return [...errors, ...versionErrors(versions, at.child("conversionReviewVersions"))];
  }
  const why = "should not be set when strategy is not set to Webhook";
  if (webhook?.clientConfig !== undefined) errors.push(fieldForbidden(config, why));
  if (versions.length > 0) errors.push(fieldForbidden(at.child("conversionReviewVersions"), why));
  return errors;
}

function versionErrors(versions: readonly string[], at: FieldPath): readonly StatusCause[] {
  if (versions.length === 0) return [fieldRequired(at)];
  const errors = versions.flatMap((version, i) => {
    if (versions.indexOf(version) < i) return [fieldInvalid(at.index(i), version, "duplicate version")];
    return isDns1035Label(version).map((complaint) => fieldInvalid(at.index(i), version, complaint));
  });
  if (versions.some((version) => reviewVersions.includes(version))) return errors;
  return [...errors, fieldInvalid(at, versions, `must include at least one of ${reviewVersions.join(", ")}`)];
}
