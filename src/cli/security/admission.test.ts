import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { admissionSettings } from "./admission.js";

async function settings(text: string, more: Readonly<Record<string, string>> = {}): Promise<unknown> {
  const folder = await mkdtemp(join(tmpdir(), "coxswain-admission-"));
  try {
    const file = join(folder, "admission.yaml");
    await writeFile(file, text);
    for (const [name, content] of Object.entries(more)) await writeFile(join(folder, name), content);
    return await admissionSettings(file);
  } finally {
    await rm(folder, { recursive: true });
  }
}

const head = "apiVersion: apiserver.config.k8s.io/v1\nkind: AdmissionConfiguration\n";
const limits = "limits: [{type: Namespace, qps: 5, burst: 10}]";

test("rates of events stand in the file, or in one beside it", async () => {
  const wanted = { eventRateLimits: [{ type: "Namespace", qps: 5, burst: 10, cacheSize: 4096 }] };
  expect(await settings(`${head}plugins: [{name: EventRateLimit, configuration: {${limits}}}]`)).toEqual(wanted);
  expect(await settings(`${head}plugins: [{name: EventRateLimit, path: e.yaml}]`, { "e.yaml": limits })).toEqual(
    wanted,
  );
  expect(await settings(`${head}plugins: [{name: PodSecurity, configuration: {}}]`)).toEqual({});
});

test.each([
  ["kind: Nonsense", "kind must be AdmissionConfiguration"],
  [`${head}plugins: [{name: EventRateLimit}]`, "limits: Required value"],
  [`${head}plugins: [{name: EventRateLimit, configuration: {limits: [{type: X}]}}]`, "limits[0].type"],
  [`${head}plugins: [{name: EventRateLimit, configuration: {limits: [{type: User, qps: 0}]}}]`, "limits[0].qps"],
  ["[]", "is no configuration"],
])("%s is refused: %s", async (text, why) => {
  await expect(settings(text)).rejects.toThrow(why);
});
