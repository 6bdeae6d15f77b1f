/** Validates how versions of a custom kind are converted. */
import { type CustomResourceConversion, type FieldPath, isDns1035Label, type StatusCause } from "../../../api/index.js";
import { clientRules } from "../../registry/kinds/access/webhooks.js";
import { repeats } from "../../../base/members.js";

const strategies = ["None", "Webhook"];
const reviewVersions = ["v1", "v1beta1"];

export function conversionErrors(
  conversion: CustomResourceConversion | undefined,
  at: FieldPath,
): readonly StatusCause[] {
  if (conversion === undefined) return [];
  const { strategy, webhook } = conversion;
  const errors: StatusCause[] = [];
  if (!strategy) errors.push(at.child("strategy").required());
  else if (!strategies.includes(strategy)) errors.push(at.child("strategy").notSupported(strategy, strategies));
  const config = at.child("webhookClientConfig");
  const versions = webhook?.conversionReviewVersions ?? [];
  if (strategy === "Webhook") {
    if (webhook?.clientConfig === undefined) errors.push(config.required("required when strategy is set to Webhook"));
    else errors.push(...clientRules(config, webhook.clientConfig));
    return [...errors, ...versionErrors(versions, at.child("conversionReviewVersions"))];
  }
  const why = "should not be set when strategy is not set to Webhook";
  if (webhook?.clientConfig !== undefined) errors.push(config.forbidden(why));
  if (versions.length > 0) errors.push(at.child("conversionReviewVersions").forbidden(why));
  return errors;
}

function versionErrors(versions: readonly string[], at: FieldPath): readonly StatusCause[] {
  if (versions.length === 0) return [at.required()];
  const isRepeat = repeats();
  const errors = versions.flatMap((version, i) => {
    if (isRepeat(version)) return [at.index(i).invalid(version, "duplicate version")];
    return isDns1035Label(version).map((complaint) => at.index(i).invalid(version, complaint));
  });
  if (versions.some((version) => reviewVersions.includes(version))) return errors;
  return [...errors, at.invalid(versions, `must include at least one of ${reviewVersions.join(", ")}`)];
}
