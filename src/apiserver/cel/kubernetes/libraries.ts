/** All functions of the environment that Kubernetes 1.36 gives to its expressions. */
import { type Functions, functionsOf } from "../checker/environment.js";
import { conversionLibrary } from "../library/conversions.js";
import { listLibrary } from "../library/lists.js";
import { operatorLibrary } from "../library/operators.js";
import { optionalLibrary } from "../library/optionals.js";
import { stringLibrary } from "../library/strings.js";
import { timeLibrary } from "../library/times.js";
import { addressLibrary } from "./addresses.js";
import { authorizerLibrary } from "./authorizer.js";
import { formatLibrary } from "./formats.js";
import { quantityLibrary } from "./quantities.js";
import { semverLibrary } from "./semver.js";
import { urlLibrary } from "./urls.js";

export const kubernetesFunctions: Functions = functionsOf(
  operatorLibrary,
  conversionLibrary,
  timeLibrary,
  stringLibrary,
  listLibrary,
  optionalLibrary,
  urlLibrary,
  quantityLibrary,
  addressLibrary,
  formatLibrary,
  semverLibrary,
  authorizerLibrary,
);
