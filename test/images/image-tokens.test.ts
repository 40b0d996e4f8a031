// Tokens of an image by the providers' published examples.
import { describe, expect, it } from "vitest";
import { anthropicImageTokens, openAiImageTokens, patchTokens, tileTokens } from "../../core/images/image-tokens.ts";

const size = (width: number, height: number) => ({ width, height });

describe("the tokens of an image", () => {
  it("are Anthropic's: a token for 750 pixels, after the long side was reduced", () => {
    expect(anthropicImageTokens(size(200, 200), false)).toBe(54);
    expect(anthropicImageTokens(size(1_000, 1_000), false)).toBe(1_334);
    expect(anthropicImageTokens(size(8_000, 8_000), false)).toBe(1_600);
    expect(anthropicImageTokens(size(8_000, 8_000))).toBe(4_784);
    expect(anthropicImageTokens(size(8_000, 10))).toBe(12);
  });

  it("are OpenAI's, by tiles", () => {
    expect(tileTokens(size(1_024, 1_024))).toBe(765);
    expect(tileTokens(size(2_048, 4_096))).toBe(1_105);
    expect(tileTokens(size(1, 1))).toBe(255);
  });

  it("are OpenAI's, by patches, times the factor of the model", () => {
    expect(patchTokens(size(1_024, 1_024), 1)).toBe(1_024);
    expect(patchTokens(size(8_000, 8_000), 1)).toBe(1_536);
    expect(openAiImageTokens("gpt-4.1-mini", size(1_024, 1_024))).toBe(1_659);
    expect(openAiImageTokens("gpt-4o", size(1_024, 1_024))).toBe(765);
  });
});
