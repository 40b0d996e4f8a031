// A file written part by part holds each part once, in order, after a crash at any write.
import { expect, it } from "vitest";
import type { ModelRequest } from "../../../core/agent/contract.ts";
import { createScriptedModel } from "../../support/wires/scripted-model.ts";
import { createSessionHarness } from "../../support/session/session-harness.ts";

const PARTS = ["one\n", "one\n", "two\n"];

/** Writes the parts one after the other, then answers, in every turn. */
function reply(request: ModelRequest) {
  const n = request.messages.filter(({ role }) => role === "assistant").length;
  const args = { path: "out/a.md", content: PARTS[n], ...(n > 0 && { append: true }) };
  return n < PARTS.length ? { calls: [{ name: "write_file", id: `c${n}`, args }] } : { text: "Written." };
}

it("a part is appended once, after a crash at any write", async () => {
  for (let crashAt = 1; ; crashAt++) {
    const harness = createSessionHarness({ model: createScriptedModel(Array.from({ length: 20 }, () => reply)) });
    await harness.boot().engine.create({ learning: "off", title: "" });
    const life = harness.boot({ crashAt });
    await life.engine.post({ text: "Write it", key: "k" }).catch(() => null);
    await life.settled();
    const survived = !life.isDead();
    life.kill();
    const next = harness.boot();
    await next.engine.post({ text: "Write it", key: "k" });
    for (let i = 0; i < 5; i++) {
      await next.wake();
      await next.settled();
    }
    const file = next.engine.getFile("out/a.md");
    expect([crashAt, file.ok && new TextDecoder().decode(file.value)]).toEqual([crashAt, PARTS.join("")]);
    expect(next.engine.detail()!.turns).toMatchObject([{ state: "done", reason: "answer" }]);
    if (survived) break;
  }
}, 60_000);
