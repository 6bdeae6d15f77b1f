/** Before and after the whole run: shares one real control plane with the tests that ask for it. */
import { shareEnvtest } from "../src/testing/shared-envtest.js";

export async function setup(): Promise<() => Promise<void>> {
  const shared = await shareEnvtest();
  return async () => {
    await shared[Symbol.asyncDispose]();
  };
}
