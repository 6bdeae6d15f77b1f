import { expect, test } from "vitest";
import type { AdmissionRequest } from "../../contracts/admission.js";
import { annotate, noteMutation, notePatch, PolicyAnnotations } from "./annotations.js";

function recorded(): { readonly request: AdmissionRequest; readonly notes: unknown[][] } {
  const notes: unknown[][] = [];
  const add: AdmissionRequest["annotate"] = (...note) => void notes.push(note);
  return { request: { annotate: add } as Partial<AdmissionRequest> as AdmissionRequest, notes };
}

const asked = { configuration: "hooks", webhook: "h.example.com" };
const turn = { round: 1, index: 2 };

test("a patch is for events that have the object, its operations have sorted members, and HTML is escaped", () => {
  const { request, notes } = recorded();
  notePatch(request, turn, { ...asked, patch: [{ value: "<a>", path: "/b", op: "add" }] });
  expect(notes).toEqual([
    [
      "patch.webhook.admission.k8s.io/round_1_index_2",
      String.raw`{"configuration":"hooks","webhook":"h.example.com","patch":[{"op":"add","path":"/b","value":"\u003ca\u003e"}],"patchType":"JSONPatch"}`,
      "Request",
    ],
  ]);
});

test("each call of a mutating webhook is told", () => {
  const { request, notes } = recorded();
  noteMutation(request, turn, { ...asked, mutated: false });
  expect(notes).toEqual([
    [
      "mutation.webhook.admission.k8s.io/round_1_index_2",
      '{"configuration":"hooks","webhook":"h.example.com","mutated":false}',
    ],
  ]);
});

test("keys that are no qualified names are left out", () => {
  const { request, notes } = recorded();
  for (const name of ["good", "a/b", "", "b d", "__proto__"]) annotate(request, "h.example.com", name, "x");
  expect(notes).toEqual([["h.example.com/good", "x"]]);
});

test("the values of a policy's annotation are joined, each once, and long ones are cut", () => {
  const { request, notes } = recorded();
  const annotations = new PolicyAnnotations();
  for (const value of ["one", "two", "one"]) annotations.add("p", "k", value);
  annotations.add("p", "long", "x".repeat(20_000));
  annotations.publish(request);
  expect(notes).toEqual([
    ["p/k", "one, two"],
    ["p/long", "x".repeat(10 * 1024)],
  ]);
});
