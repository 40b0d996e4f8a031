// Estimates the tokens of an image by each provider's published rule. The provider's own count replaces the estimate after the
// first answer. Called by the wires, which know the provider. Pure.
import type { ImageSize } from "../schemas/media/image.ts";

/**
 * Anthropic ("Vision", 2026): width × height / 750, after the long side was reduced to 1,568 pixels, at most about 1,600. The models
 * from Opus 4.7 on take 2,576 pixels, at most 4,784.
 */
export function anthropicImageTokens({ width, height }: ImageSize, isLarge = true): number {
  const [maxSide, maxTokens] = isLarge ? [2_576, 4_784] : [1_568, 1_600];
  const scale = Math.min(1, maxSide / Math.max(width, height));
  return Math.min(maxTokens, Math.ceil((width * height * scale * scale) / 750));
}

/**
 * OpenAI ("Images and vision", 2026), models of the families 4o, 4.1 and o: 85 tokens, and 170 for each tile of 512 pixels, after the
 * image was fitted into 2,048 × 2,048 and its short side reduced to 768.
 */
export function tileTokens({ width, height }: ImageSize): number {
  const fit = Math.min(1, 2_048 / Math.max(width, height));
  const scale = fit * Math.min(1, 768 / (Math.min(width, height) * fit));
  return 85 + 170 * Math.ceil((width * scale) / 512) * Math.ceil((height * scale) / 512);
}

const MAX_PATCHES = 1_536;
const PATCH_PIXELS = 32 * 32;

/** OpenAI's small models and later families: a token for each patch of 32 pixels, at most 1,536, times a factor of the model. */
export function patchTokens({ width, height }: ImageSize, factor: number): number {
  const patches = Math.ceil(width / 32) * Math.ceil(height / 32);
  const scaled = patches <= MAX_PATCHES ? patches : Math.min(MAX_PATCHES, Math.ceil((width * height) / PATCH_PIXELS));
  return Math.ceil(scaled * factor);
}

/** OpenAI's model ids, with or without a provider before them. */
export function openAiImageTokens(model: string, size: ImageSize): number {
  if (/nano/.test(model)) return patchTokens(size, 2.46);
  if (/mini|gpt-5|gpt-[6-9]|codex/.test(model)) return patchTokens(size, 1.62);
  return tileTokens(size);
}

/** Of a model whose rule is unknown: no rule that we know gives more than twice this for an image of usual size. */
export function unknownImageTokens(size: ImageSize): number {
  return Math.max(tileTokens(size), patchTokens(size, 1));
}
