import { defineConfig } from "vitest/config";

const full = process.env["COXSWAIN_FULL"] === "1";

export default defineConfig({
  oxc: { target: "es2023" },
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts", "examples/**/*.test.ts"],
    setupFiles: ["./test/setup.ts"],
    globalSetup: ["./test/global-setup.ts"],
    testTimeout: full ? 600_000 : 30_000,
    hookTimeout: 60_000,
    pool: "forks",
    isolate: true,
    reporters: ["default"],
  },
});
