// The tool image_generate: has a provider make an image from a description, and writes it to the workspace. Never runs twice after a
// crash, since each run is charged.
import * as z from "zod";
import type { Tool } from "../../agent/contract.ts";
import { fail, succeed } from "../../agent/tool-result.ts";
import { checkImage } from "../../images/check-image.ts";
import type { Result } from "../../errors.ts";
import type { ToolSpend } from "../../schemas/entry.ts";
import { EXTENSIONS } from "../../schemas/media/image.ts";
import type { Settings } from "../../schemas/settings.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import type { WriteBudget } from "../../workspace/write-budget.ts";

export const ASPECTS = ["square", "landscape", "portrait"] as const;
export type Aspect = (typeof ASPECTS)[number];

const Args = z.strictObject({
  prompt: z
    .string()
    .min(1)
    .max(4_000)
    .describe("What the image shows: subject, style, light, text to be written in it."),
  aspect: z.enum(ASPECTS).optional().describe("Default: square."),
  path: z
    .string()
    .min(1)
    .max(400)
    .optional()
    .describe("Where to save it, without an extension. Default: a name in images/ from the prompt."),
});
type Args = z.infer<typeof Args>;

const DESCRIPTION =
  "Makes one image from a description and saves it in the workspace; `path` says where. Each call costs money: call it once for " +
  "what was asked, and change the prompt only if the person wants another image.";

/** A provider of images. Its answer's bytes are not checked yet. */
export interface ImageMaker {
  make(
    request: { prompt: string; aspect: Aspect },
    signal: AbortSignal,
  ): Promise<Result<{ bytes: Uint8Array; model: string; spent: ToolSpend }>>;
}

export interface ImageGenerateOptions {
  workspace: Workspace;
  settings: Settings;
  budget: WriteBudget;
  maker: ImageMaker;
}

/** What a provider may send: larger than an image of a message, since it is only stored. */
const MAX_SIDE = 8_192;

export function createImageGenerate({ workspace, settings, budget, maker }: ImageGenerateOptions): Tool<Args> {
  return {
    name: "image_generate",
    description: DESCRIPTION,
    parameters: Args,
    effect: "unkeyed",
    async run({ prompt, aspect = "square", path }, { op, signal }) {
      const made = await maker.make({ prompt, aspect }, signal);
      if (!made.ok) return fail(made.failure.code, made.failure.message);
      const { bytes, model, spent } = made.value;
      const limits = { maxBytes: settings.turn.maxFileBytes, maxSide: MAX_SIDE };
      const checked = checkImage(bytes, "The provider's reply", limits);
      if (!checked.ok) return { ...fail("image_failed", checked.failure.message), spent: [spent] };
      const { type, width, height } = checked.value;
      const place = `${path ?? toPath(prompt, op)}.${EXTENSIONS[type]}`;
      const stored = workspace.putAsAgent(place, bytes, "content", budget);
      if (!stored.ok) return { ...fail(stored.failure.code, stored.failure.message), spent: [spent] };
      const usd = spent.cost && spent.cost.source !== "none" ? { usd: spent.cost.usdMicros / 1_000_000 } : {};
      const facts = { path: stored.value.path, type, width, height, bytes: bytes.length, model, ...usd };
      return { ...succeed(facts), spent: [spent] };
    },
  };
}

/** The number of the call's entry keeps the images of one prompt apart. */
function toPath(prompt: string, op: string): string {
  const words = prompt.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const name = words.slice(0, 6).join("-").slice(0, 60).toWellFormed() || "image";
  return `images/${name}-${op.split(":").at(-1)}`;
}
