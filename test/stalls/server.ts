/** The embedded server, for the stall guard to count. */
export { FakeClock, seededRandom } from "../../src/base/index.js";
export { startTestServer } from "../../src/testing/cluster.js";
