import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasRealCluster } from "../../src/testing/shared-envtest.js";
import { type ClientTools, type Outcome, startClientTools } from "./client-tools.js";

describe.skipIf(!hasRealCluster())(
  "kubectl apply on the embedded server (skipped where KUBEBUILDER_ASSETS is not set)",
  () => {
    let tools: ClientTools;
    beforeAll(async () => {
      tools = await startClientTools();
    });
    afterAll(() => tools[Symbol.asyncDispose]());

    const configMap = (name: string, data: object): object => ({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name },
      data,
    });
    const apply = (object: object, ...flags: string[]): Promise<Outcome> =>
      tools.run("kubectl", ["apply", "-f", "-", ...flags], object);
    const managers = async (name: string): Promise<readonly string[]> => {
      const { out } = await tools.run("kubectl", ["get", "configmap", name, "-o", "json", "--show-managed-fields"]);
      const { metadata } = JSON.parse(out) as { metadata: { managedFields: { manager: string; operation: string }[] } };
      // the server has them in the order of their seconds, and which second a command falls into is chance
      return metadata.managedFields.map(({ manager, operation }) => `${manager} ${operation}`).toSorted();
    };

    test("--server-side creates, changes, and says so", async () => {
      expect(await apply(configMap("a", { x: "1" }), "--server-side")).toMatchObject({
        code: 0,
        out: "configmap/a serverside-applied\n",
      });
      expect((await apply(configMap("a", { y: "2" }), "--server-side")).code).toBe(0);
      const { out } = await tools.run("kubectl", ["get", "configmap", "a", "-o", "jsonpath={.data}"]);
      expect(JSON.parse(out)).toEqual({ y: "2" });
      expect(await managers("a")).toEqual(["kubectl Apply"]);
    });

    test("another manager's field is a conflict, unless --force-conflicts", async () => {
      await apply(configMap("b", { x: "1" }), "--server-side");
      const other = ["--server-side", "--field-manager=other"];
      const refused = await apply(configMap("b", { x: "2" }), ...other);
      expect(refused.code).toBe(1);
      expect(refused.err).toContain('Apply failed with 1 conflict: conflict with "kubectl": .data.x');
      expect((await apply(configMap("b", { x: "2" }), ...other, "--force-conflicts")).code).toBe(0);
      expect(await managers("b")).toEqual(["other Apply"]);
    });

    test("client-side apply patches, and can move to the server's apply and back", async () => {
      expect((await apply(configMap("c", { x: "1", y: "1" }))).out).toBe("configmap/c created\n");
      expect((await apply(configMap("c", { x: "2" }))).out).toBe("configmap/c configured\n");
      expect((await apply(configMap("c", { x: "2" }))).out).toBe("configmap/c unchanged\n");
      expect(await managers("c")).toEqual(["kubectl-client-side-apply Update"]);
      expect((await apply(configMap("c", { x: "3" }), "--server-side")).code).toBe(0);
      expect(await managers("c")).toEqual(["kubectl Apply", "kubectl-last-applied Apply"]);
      expect((await apply(configMap("c", { x: "3" }))).out).toBe("configmap/c configured\n");
      const { out } = await tools.run("kubectl", ["get", "configmap", "c", "-o", "jsonpath={.data}"]);
      expect(JSON.parse(out)).toEqual({ x: "3" });
    });

    test("diff --server-side shows what would change and changes nothing", async () => {
      await apply(configMap("d", { x: "1" }), "--server-side");
      const same = await tools.run("kubectl", ["diff", "--server-side", "-f", "-"], configMap("d", { x: "1" }));
      expect(same).toMatchObject({ code: 0, out: "" });
      const changed = await tools.run("kubectl", ["diff", "--server-side", "-f", "-"], configMap("d", { x: "2" }));
      expect(changed.code).toBe(1);
      expect(changed.out).toMatch(/-\s+x: "1"\n\+\s+x: "2"/);
      const { out } = await tools.run("kubectl", ["get", "configmap", "d", "-o", "jsonpath={.data.x}"]);
      expect(out).toBe("1");
    });

    test("a dry run applies nothing", async () => {
      const dry = await apply(configMap("e", { x: "1" }), "--server-side", "--dry-run=server");
      expect(dry).toMatchObject({ code: 0, out: "configmap/e serverside-applied (server dry run)\n" });
      expect((await tools.run("kubectl", ["get", "configmap", "e"])).err).toContain("NotFound");
    });

    test("unknown fields are an error, a warning, or nothing, as --validate says", async () => {
      const wrong = { ...configMap("f", { x: "1" }), dta: {} };
      const strict = await apply(wrong);
      expect([strict.code, strict.err]).toEqual([
        1,
        expect.stringContaining('strict decoding error: unknown field "dta"'),
      ]);
      const warned = await apply(wrong, "--validate=warn");
      expect(warned).toMatchObject({
        code: 0,
        out: "configmap/f created\n",
        err: expect.stringContaining('Warning: unknown field "dta"') as string,
      });
      expect(await apply({ ...configMap("f", { x: "2" }), dta: {} }, "--validate=ignore")).toEqual({
        code: 0,
        out: "configmap/f configured\n",
        err: "",
      });
      const typed = await apply(wrong, "--server-side");
      expect(typed.err).toContain(
        "failed to create typed patch object (default/f; /v1, Kind=ConfigMap): .dta: field not declared in schema",
      );
    });

    test("patch, edit-like replace and label leave their own managers", async () => {
      await apply(configMap("g", { x: "1" }), "--server-side");
      await tools.run("kubectl", ["patch", "configmap", "g", "--type=merge", "-p", '{"data":{"y":"2"}}']);
      await tools.run("kubectl", ["label", "configmap", "g", "a=b"]);
      expect(await managers("g")).toEqual(["kubectl Apply", "kubectl-label Update", "kubectl-patch Update"]);
    });
  },
);
