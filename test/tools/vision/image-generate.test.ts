// The tool image_generate, in a session: what it writes, what a crash does, how it is booked.
import { describe, expect, it } from "vitest";
import { err, ok } from "../../../core/errors.ts";
import { NO_USAGE, type ToolSpend } from "../../../core/schemas/entry.ts";
import type { ImageMaker } from "../../../core/tools/vision/image-generate.ts";
import { makePng } from "../../support/images.ts";
import { must } from "../../support/session/scripted-session.ts";
import { createSessionHarness } from "../../support/session/session-harness.ts";
import { createScriptedModel } from "../../support/wires/scripted-model.ts";

const usage = { ...NO_USAGE, input: 12, output: 1_056 };
const spent: ToolSpend = {
  kind: "image",
  model: "openai:gpt-image-1",
  usage,
  cost: { usdMicros: 42_300, source: "catalog" },
};
const PNG = makePng(1_024, 1_024);

function setUp(make: ImageMaker["make"], args: object = { prompt: "A red fox, at dawn!" }) {
  const call = { calls: [{ name: "image_generate", args: { ...args } }] };
  const model = createScriptedModel([call, { text: "Here it is." }]);
  const harness = createSessionHarness({ model, imageMaker: { make }, settings: { review: { enabled: false } } });
  return { ...harness, model };
}

async function run(world: ReturnType<typeof setUp>, life = world.boot()) {
  await life.engine.create({ learning: "off", title: "x" });
  await life.engine.post({ text: "Make a fox." });
  await life.settled();
  const entries = must(life.engine.entries(0));
  return { life, result: entries.find((entry) => entry.kind === "tool")! };
}

describe("image_generate", () => {
  it("saves the provider's image under the type of its bytes, and books what it cost", async () => {
    const asked: unknown[] = [];
    const world = setUp(async (request) => {
      asked.push(request);
      return ok({ bytes: PNG, model: "openai:gpt-image-1", spent });
    });
    const { life, result } = await run(world);
    expect(asked).toEqual([{ prompt: "A red fox, at dawn!", aspect: "square" }]);
    const facts = {
      type: "image/png",
      width: 1_024,
      height: 1_024,
      bytes: 64,
      model: "openai:gpt-image-1",
      usd: 0.0423,
    };
    expect(JSON.parse(result.parts[0]!.text)).toEqual({ path: "images/a-red-fox-at-dawn-3.png", ...facts });
    expect(must(life.engine.getFile("images/a-red-fox-at-dawn-3.png"))).toEqual(PNG);
    expect(must(life.engine.listFiles())).toMatchObject([{ writer: "content" }]);
    expect(world.booked[0]!.lines).toContainEqual({
      ...{ kind: "image", model: "openai:gpt-image-1", source: "catalog", calls: 1, usage, usdMicros: 42_300 },
    });
  });

  it("is not run again after a crash between the intent and the result", async () => {
    let made = 0;
    const world = setUp(async () => {
      made++;
      if (made === 1) first.kill();
      return ok({ bytes: PNG, model: "m", spent });
    });
    const first = world.boot();
    await first.engine.create({ learning: "off", title: "x" });
    await first.engine.post({ text: "Make a fox." });
    await first.settled();
    const second = world.boot();
    await second.wake();
    const result = must(second.engine.entries(0)).find((entry) => entry.kind === "tool")!;
    expect([made, JSON.parse(result.parts[0]!.text).code]).toEqual([1, "outcome_unknown"]);
    expect(second.engine.detail()!.turns[0]!.state).toBe("done");
  });

  it("says what the provider said, and keeps nothing that is no image", async () => {
    const refused = await run(setUp(async () => err("image_failed", "OpenAI refuses this content; rephrase it.")));
    expect(JSON.parse(refused.result.parts[0]!.text)).toEqual({
      error: "OpenAI refuses this content; rephrase it.",
      code: "image_failed",
    });
    const page = new TextEncoder().encode("<html>");
    const broken = await run(setUp(async () => ok({ bytes: page, model: "m", spent })));
    expect(broken.result).toMatchObject({ failed: true, spent: [spent] });
    expect(must(broken.life.engine.listFiles())).toEqual([]);
  });

  it("writes to the path it was given, never over the person's instructions", async () => {
    const make: ImageMaker["make"] = async () => ok({ bytes: PNG, model: "m", spent });
    const given = await run(setUp(make, { prompt: "x", path: "art/fox", aspect: "landscape" }));
    expect(must(given.life.engine.listFiles()).map(({ path }) => path)).toEqual(["art/fox.png"]);
    const outside = await run(setUp(make, { prompt: "x", path: "../../etc/fox" }));
    expect(JSON.parse(outside.result.parts[0]!.text)).toMatchObject({ code: "bad_path" });
  });

  it("is absent without a provider", async () => {
    const model = createScriptedModel([{ text: "No." }]);
    const { engine, settled } = createSessionHarness({ model }).boot();
    await engine.create({ learning: "off", title: "x" });
    await engine.post({ text: "Hi" });
    await settled();
    expect(model.requests[0]!.tools.map(({ name }) => name)).not.toContain("image_generate");
  });
});
