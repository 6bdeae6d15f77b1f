import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { authorizationOf } from "../../configuration/kubeconfig.js";
import { type AdmissionSettings, readAdmissionSettings } from "./read.js";

const head = "apiVersion: apiserver.config.k8s.io/v1\nkind: AdmissionConfiguration\n";
const plugin = (name: string, configuration: object): string =>
  `${head}plugins: [{ name: ${name}, configuration: ${JSON.stringify(configuration)} }]`;
const settingsOf = (text: string, enabled: readonly string[] = []): Promise<AdmissionSettings> =>
  readAdmissionSettings(text, enabled);

const security = { apiVersion: "pod-security.admission.config.k8s.io/v1", kind: "PodSecurityConfiguration" };
const rates = { apiVersion: "eventratelimit.admission.k8s.io/v1alpha1", kind: "Configuration" };
const tolerations = { apiVersion: "podtolerationrestriction.admission.k8s.io/v1alpha1", kind: "Configuration" };
const quotas = { apiVersion: "apiserver.config.k8s.io/v1", kind: "ResourceQuotaConfiguration" };
const hooks = { apiVersion: "apiserver.config.k8s.io/v1", kind: "WebhookAdmissionConfiguration" };

async function withFolder(files: Readonly<Record<string, string>>, use: (folder: string) => Promise<void>) {
  const folder = await mkdtemp(join(tmpdir(), "coxswain-admission-"));
  try {
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
    await use(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

const kubeconfig = `
apiVersion: v1
kind: Config
clusters: [{ name: a, cluster: { server: "https://127.0.0.1:1" } }]
users:
- { name: "hooks.example.com:443", user: { token: exact } }
- { name: "*.example.com", user: { username: starred, password: secret } }
- { name: "*.example.com:8443", user: { token: other } }
- { name: other, user: { token: current } }
contexts: [{ name: a, context: { cluster: a, user: other } }]
current-context: a
`;

describe("an AdmissionConfiguration", () => {
  test("without plug-ins changes nothing, and neither does none", async () => {
    const none = await readAdmissionSettings(undefined, []);
    expect(none.podSecurity.defaults.enforce).toEqual({ level: "privileged", minor: undefined });
    expect({ ...(await settingsOf(head)), nodeSelectors: 0 }).toEqual({ ...none, nodeSelectors: 0 });
  });

  test("may name a file, by its place beside the configuration", async () => {
    const settings = JSON.stringify({ ...security, defaults: { enforce: "baseline", "enforce-version": "v1.30" } });
    const file = `${head}plugins: [{ name: PodSecurity, path: security.json }]`;
    await withFolder({ "admission.yaml": file, "security.json": settings }, async (folder) => {
      const { podSecurity } = await readAdmissionSettings({ file: join(folder, "admission.yaml") }, []);
      expect(podSecurity.defaults.enforce).toEqual({ level: "baseline", minor: 30 });
    });
    await expect(settingsOf(`${head}plugins: [{ name: PodSecurity, path: /no/such/file }]`)).rejects.toThrow("ENOENT");
  });

  test("settings of a plug-in that is off do not switch it on; one that needs settings does not start without", async () => {
    const limits = [{ type: "Server", qps: 1, burst: 2 }];
    const text = plugin("EventRateLimit", { ...rates, limits });
    expect((await settingsOf(text)).eventRates).toEqual([]);
    expect((await settingsOf(text, ["EventRateLimit"])).eventRates).toEqual(limits);
    for (const name of ["EventRateLimit", "ImagePolicyWebhook"])
      await expect(settingsOf(head, [name])).rejects.toThrow(`admission plugin "${name}": no config specified`);
  });

  test("webhooks get the credentials of their host, of a host with a star, or of the current context", async () => {
    await withFolder({ hooks: kubeconfig, none: "users: []" }, async (folder) => {
      const { validatingUsers, mutatingUsers } = await settingsOf(
        plugin("ValidatingAdmissionWebhook", { ...hooks, kubeConfigFile: join(folder, "hooks") }),
      );
      const said = ["hooks.example.com:443", "b.a.example.com:443", "hooks.example.com:8443", "elsewhere:443"].map(
        (host) => authorizationOf(validatingUsers(host) ?? {}),
      );
      const basic = `Basic ${btoa("starred:secret")}`;
      expect(said).toEqual(["Bearer exact", basic, "Bearer other", "Bearer current"]);
      expect(mutatingUsers("hooks.example.com:443")).toBeUndefined();
    });
  });

  test("times of ImagePolicyWebhook are numbers of seconds, and of milliseconds for the pause", async () => {
    await withFolder({ images: kubeconfig }, async (folder) => {
      const of = (more: object): Promise<AdmissionSettings> =>
        settingsOf(plugin("ImagePolicyWebhook", { imagePolicy: { kubeConfigFile: join(folder, "images"), ...more } }), [
          "ImagePolicyWebhook",
        ]);
      const { imagePolicy } = await of({ allowTTL: 50, denyTTL: -1, defaultAllow: true });
      expect(imagePolicy).toMatchObject({ allowTtlMs: 50_000, denyTtlMs: 0, retryMs: 500, defaultAllow: true });
      await expect(of({ allowTTL: 3000 })).rejects.toThrow("valid value is between 1s and 30m");
      await expect(of({ retryBackoff: 1_000_000 })).rejects.toThrow("imagePolicy.retryBackoff");
    });
  });

  // the words are those of kube-apiserver 1.36
  test.each([
    [
      plugin("PodSecurity", { ...security, exemptions: { usernames: ["a", "a", ""], namespaces: ["x", "x"] } }),
      '[exemptions.namespaces[1]: Duplicate value: "x", exemptions.usernames[1]: Duplicate value: "a", exemptions.usernames[2]: Invalid value: "": username must not be empty]',
    ],
    [plugin("PodSecurity", { ...security, default: {} }), 'strict decoding error: unknown field "default"'],
    [
      plugin("PodTolerationRestriction", { ...tolerations, default: [{ key: "k", operator: "Exists", value: "v" }] }),
      "podtolerationrestriction.default[0].operator: Invalid value: \"v\": value must be empty when `operator` is 'Exists'",
    ],
    [
      plugin("ResourceQuota", { ...quotas, limitedResources: [{ matchContains: ["pods"] }] }),
      "limitedResources[0].resource: Required value",
    ],
    [
      plugin("MutatingAdmissionWebhook", { ...hooks, kubeConfigFile: "kc" }),
      'kubeConfigFile: Invalid value: "kc": must be an absolute file path',
    ],
  ])("%s is refused", async (text, words) => {
    await expect(settingsOf(text)).rejects.toThrow(words);
  });

  test("faulty rates are refused, all at once", async () => {
    const limits = [{ type: "X", qps: -1, burst: 0, cacheSize: -1 }];
    await expect(settingsOf(plugin("EventRateLimit", { ...rates, limits }), ["EventRateLimit"])).rejects.toThrow(
      `couldn't init admission plugin "EventRateLimit": [limits[0].type: Unsupported value: "X": supported values: "User", "SourceAndObject", "Server", "Namespace", limits[0].burst: Invalid value: 0: must be positive, limits[0].qps: Invalid value: -1: must be positive, limits[0].cacheSize: Invalid value: -1: must not be negative]`,
    );
  });

  test.each([
    ["plugins: []", "found kind"],
    ["apiVersion: apiserver.config.k8s.io/v1beta1\nkind: AdmissionConfiguration", "found kind"],
    [`${head}plugins: [{ name: PodSecurity, conf: {} }]`, 'unknown field "plugins[0].conf"'],
    ["[]", "holds no object"],
  ])("%s is refused: %s", async (text, words) => {
    await expect(settingsOf(text)).rejects.toThrow(words);
  });
});
