import { describe, expect, test } from "vitest";
import { BodyQueue } from "./body-queue.js";

function queue(options?: { isMessages: boolean }): { readonly queue: BodyQueue; readonly told: string[] } {
  const told: string[] = [];
  const source = {
    pause: () => told.push("pause"),
    resume: () => told.push("resume"),
    cancel: () => told.push("cancel"),
  };
  return { queue: new BodyQueue(source, options), told };
}
const never = (): Error => new Error("not expected");
const tiny = Buffer.from("x");

describe("very many tiny chunks", () => {
  test("are joined while they wait, so that they take the memory of their bytes", async () => {
    const { queue: body } = queue();
    for (let i = 0; i < 100_000; i++) body.push(tiny);
    body.end();
    let chunks = 0;
    let bytes = 0;
    for await (const chunk of body) {
      chunks++;
      bytes += chunk.length;
    }
    expect(bytes).toBe(100_000);
    expect(chunks).toBeLessThan(5_000);
  });

  test("that are messages stay apart, and hold their sender back soon", async () => {
    const { queue: body, told } = queue({ isMessages: true });
    let sent = 0;
    for (; told.length === 0; sent++) body.push(tiny);
    expect(sent).toBeLessThan(10_000);
    body.end();
    let chunks = 0;
    for await (const chunk of body) chunks += chunk.length;
    expect(chunks).toBe(sent);
    expect(told).toEqual(["pause", "resume"]);
  });

  test("are whole for whoever waits for the whole", async () => {
    const { queue: body, told } = queue();
    const whole = body.whole(2 ** 20, never);
    for (let i = 0; i < 10_000; i++) body.push(Buffer.from(String(i % 10)));
    body.end();
    expect((await whole).toString()).toBe("0123456789".repeat(1_000));
    expect(told).toEqual([]);
  });
});

describe("more than the whole may have", () => {
  test("ends the source at once", async () => {
    const { queue: body, told } = queue();
    const whole = body.whole(10, () => new Error("more than 10"));
    body.push(Buffer.alloc(10));
    expect(told).toEqual([]);
    body.push(tiny);
    expect(told).toEqual(["cancel"]);
    body.push(tiny);
    await expect(whole).rejects.toThrow("more than 10");
  });

  test("also if it is there already", async () => {
    const { queue: body, told } = queue();
    body.push(Buffer.alloc(11));
    await expect(body.whole(10, () => new Error("more than 10"))).rejects.toThrow("more than 10");
    expect(told).toEqual(["cancel"]);
  });
});
