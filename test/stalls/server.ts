/** The embedded server, for the stall guard to count. */
export { FakeClock, seededRandom } from "../../src/base/index.js";
export { startApiServer } from "../../src/testing/cluster.js";
