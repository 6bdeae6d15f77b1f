/** The order of the full run: long files start first, so that none of them runs alone at the end. */
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** The longest first; unnamed files follow, the largest first. */
const longest = [
  "test/conformance/controllers/controllers.test.ts",
  "test/conformance/scheduler/scheduler.test.ts",
  "test/informer/churn.test.ts",
  "test/simulation/bugs.test.ts",
  "src/apiserver/storage/disk/kill.test.ts",
  "test/informer/history.test.ts",
  "test/scenarios/soak.test.ts",
  "test/conformance/apply-owners.test.ts",
  "test/scenarios/leaders-killed.test.ts",
];

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const at = longest.findIndex((path) => moduleId.endsWith(`/${path}`));
      return at < 0 ? longest.length : at;
    };
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
  }
}
