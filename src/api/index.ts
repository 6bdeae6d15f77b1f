/** api: takes nothing but base, gives all layers the Kubernetes objects as readonly data. */
// the one list of names that is generated; the generated file lists each of them
export {
  applyConflicts,
  extractOwned,
  fieldManagers,
  type FieldConflict,
  type OwnedBy,
} from "./apply/index.js";
export * from "./generated/kinds.js";
export { crdOf } from "./custom/crd.js";
export type {
  CustomObject,
  CustomResourceOptions,
  CustomResourceType,
  PrinterColumn,
  ScalePaths,
} from "./custom/definition.js";
export {
  type Converted,
  type ConvertibleType,
  convertObject,
  isConvertible,
  type OtherVersion,
  withVersions,
} from "./custom/versions.js";
export { conditionsSchema } from "./custom/conditions-schema.js";
export { structuralSchema } from "./custom/json-schema.js";
export { schemaFrom, type StandardJsonSchema } from "./custom/standard-schema.js";
export type { StructuralSchema, TypedSchema, TypeFromSchema, ValidationRuleLiteral } from "./custom/schema.js";
export { defineResource, type ResourceOptions } from "./define-resource.js";
export type {
  DeepReadonly,
  Draft,
  DraftMeta,
  KubeList,
  KubeObject,
  ListMeta,
  ManagedFieldsEntry,
  ObjectMeta,
  OwnerReference,
} from "./object.js";
export type { ApplyConfiguration, DeepPartial, MergePatch } from "./partial.js";
export type { BuiltIn, BuiltInConfiguration, BuiltInObject, NotBuiltIn } from "./built-in.js";
export {
  applyJsonPatch,
  applyMergePatch,
  applyStrategicMergePatch,
  createJsonPatch,
  createMergePatch,
  createStrategicMergePatch,
  createThreeWayMergePatch,
  createThreeWayStrategicMergePatch,
  formatJsonPointer,
  type Json,
  type JsonObject,
  type JsonPatchOperation,
  type JsonPatchOptions,
  type MergePatchOptions,
  parseJsonPointer,
  PatchError,
  type PatchFailure,
  type PatchField,
  type PatchSchema,
  patchSchemaOf,
  type PatchTypes,
  type ThreeWayDocuments,
} from "./patch/index.js";
export {
  apiVersionOf,
  checkResourceType,
  type GivenNames,
  type GroupKind,
  type GroupResource,
  type GroupVersionKind,
  type GroupVersionResource,
  groupResourceName,
  type ObjectOf,
  parseGroupVersion,
  type ResourceNames,
  type ResourceType,
  resourceKey,
  type Scope,
} from "./resource-type.js";
export type { IntOrString } from "./scalars.js";
export {
  newAlreadyExists,
  newApplyConflict,
  newBadRequest,
  newConflict,
  newExpired,
  newFailure,
  newForbidden,
  newGenerateNameConflict,
  newGone,
  newInternalError,
  newInvalid,
  newMethodNotSupported,
  newNotAcceptable,
  newNotFound,
  newRequestEntityTooLarge,
  newServerTimeout,
  newServiceUnavailable,
  newTimeout,
  newTooLargeResourceVersion,
  newTooManyRequests,
  newTooManyRequestsError,
  newUnauthorized,
  newUnsupportedMediaType,
  objectHasBeenModified,
  type Status,
  type StatusCause,
  type StatusDetails,
  StatusError,
  type StatusReason,
} from "./status.js";
export {
  type Bookmark,
  type ErrorEvent,
  initialEventsEnd,
  isInitialEventsEnd,
  type ObjectEvent,
  type WatchEvent,
} from "./watch-event.js";
export {
  isAlreadyExists,
  isBadRequest,
  isConflict,
  isExpired,
  isForbidden,
  isGone,
  isInternalError,
  isInvalid,
  isMethodNotSupported,
  isNotAcceptable,
  isNotFound,
  isRequestEntityTooLarge,
  isServerTimeout,
  isServiceUnavailable,
  isStoreReadError,
  isTimeout,
  isTooLargeResourceVersion,
  isTooManyRequests,
  isUnauthorized,
  isUnexpectedServerError,
  isUnsupportedMediaType,
  reasonForError,
  retryAfterSeconds,
  statusCause,
  statusOf,
  suggestsClientDelay,
} from "./errors/status-guards.js";
export { unless } from "./errors/unless.js";
export {
  errorFromObject,
  newGenericServerResponse,
  type ServerResponse,
  UnexpectedObjectError,
} from "./errors/unexpected.js";
export {
  type FieldError,
  type FieldErrorReason,
  printFieldError,
  printFieldErrors,
} from "./errors/field-error.js";
export {
  type Amounts,
  addAmounts,
  amountsOf,
  onlyAmounts,
  printAmounts,
  type ResourceList,
  resourceListOf,
  subtractAmounts,
} from "./resources/amounts.js";
export { podAmounts, type PodAmountsOptions } from "./resources/pod-amounts.js";
export {
  extendedClaimAnnotation,
  implicitResourcePrefix,
  ownerOfExtendedClaim,
  type QuotaDevices,
} from "./resources/device-quota.js";
export {
  computeUsage,
  type QuotaCircumstances,
  quotaMatches,
  quotaScopeMatches,
  quotaScopes,
  quotaNamesFor,
  quotaUsage,
} from "./resources/quota.js";
export { FieldPath, fieldPath } from "./errors/field-path.js";
export { ParseError } from "./parse-error.js";
export { escapedAsGo, goJson, goQuote } from "./go-quote.js";
export { goText } from "./patch/json.js";
export { metaNamespaceKey, type ObjectName, objectKey, objectName, splitMetaNamespaceKey } from "./meta/key.js";
export {
  controllerOf,
  isControlledBy,
  isOwnedBy,
  newControllerRef,
  newOwnerRef,
  withoutOwner,
  withOwner,
} from "./meta/owner.js";
export {
  compareRevisions,
  InvalidRevisionError,
  isRevision,
  newerRevision,
  revisionBefore,
  sameRevision,
} from "./meta/revision.js";
export {
  findCondition,
  isConditionFalse,
  isConditionTrue,
  type NewCondition,
  removeCondition,
  setCondition,
} from "./meta/condition.js";
export {
  everything,
  formatLabelSelector,
  labelSelectorAsMap,
  labelSelectorAsSelector,
  newSelector,
  nothing,
  parseLabelSelector,
  parseToLabelSelector,
  type Selector,
  selectorFromSet,
} from "./selectors/label-selector.js";
export {
  InvalidRequirementError,
  type Labels,
  newRequirement,
  printRequirement,
  type Requirement,
  type SelectorOperator,
} from "./selectors/requirement.js";
export {
  escapeFieldValue,
  everyField,
  type FieldReader,
  type FieldRequirement,
  type FieldSelector,
  fieldSelectorFromSet,
  newFieldSelector,
  noField,
  parseFieldSelector,
  unescapeFieldValue,
} from "./selectors/field-selector.js";
export { parseQuantity, Quantity, type QuantityFormat } from "./values/quantity.js";
export { intOrStringValue, parseIntOrString, type Rounding, scaledValueOf } from "./values/int-or-string.js";
export { durationFromMs, durationToMs, formatDuration, parseDuration } from "./values/duration.js";
export { formatMicroTime, formatTime, parseMicroTime, parseTime } from "./values/time.js";
export {
  byteLength,
  type Complaints,
  isCIdentifier,
  isConfigMapKey,
  isDns1035Label,
  isDns1123Label,
  isDns1123Subdomain,
  isDns1123SubdomainWithUnderscore,
  isEnvVarName,
  isGroupId,
  isHttpHeaderName,
  isLabelValue,
  isPathSegmentName,
  isPercent,
  isPortName,
  isPortNumber,
  isQualifiedName,
  isRelaxedEnvVarName,
  isUserId,
  isWildcardDns1123Subdomain,
  patternComplaint,
  rangeComplaint,
} from "./values/names.js";
export { deepEqual } from "./compare/deep-equal.js";
export { fingerprint } from "./compare/fingerprint.js";
export { deepFreeze } from "./compare/freeze.js";
export { semanticDerivative, semanticEqual } from "./compare/semantic-equal.js";
export { changedPaths, type DiffOptions } from "./compare/diff.js";
export {
  estimatedBytes,
  type LazyDecoder,
  lazyDecoder,
  type LazyDecoderOptions,
} from "./decode/index.js";
export { type NodeMatcher, nodeSelectorTerm, requiredNodes } from "./scheduling/node-affinity.js";
export { tolerates, untoleratedTaint } from "./scheduling/tolerations.js";
export { isDeleting } from "./meta/deletion.js";
export { NoKindMatchError } from "./errors/no-match.js";
