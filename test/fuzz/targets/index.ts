/** Every target of the fuzzer. To the command and the test. */
import type { TargetKind } from "../target.js";
import { answerTargets } from "./answers.js";
import { configurationTargets } from "./configuration.js";
import { decidingTargets } from "./deciding.js";
import { definitionTargets } from "./definitions.js";
import { diskTargets } from "./disk.js";
import { frames } from "./connections/frames.js";
import { languageTargets } from "./languages.js";
import { proxied } from "./connections/proxied.js";
import { requestTargets } from "./requests.js";
import { spdy } from "./connections/spdy.js";

export const allTargets: readonly TargetKind[] = [
  ...requestTargets,
  ...decidingTargets,
  ...definitionTargets,
  ...languageTargets,
  ...configurationTargets,
  frames,
  spdy,
  proxied,
  ...answerTargets,
  ...diskTargets,
];
