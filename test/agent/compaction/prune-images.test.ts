// What compaction leaves of images.
import { describe, expect, it } from "vitest";
import { pruneMessages } from "../../../core/agent/compaction/compaction-prune.ts";
import { renderStaticSummary, renderSummaryRequest } from "../../../core/agent/compaction/compaction-summary.ts";
import type { Message, MessageImage } from "../../../core/agent/contract.ts";
import { messageTokens } from "../../../core/agent/request-size.ts";

const IMAGE = { sha256: "ab".repeat(32), type: "image/jpeg", bytes: 250_000, width: 4_000, height: 3_000 } as const;
const SENTENCE = "[image abababababab: JPEG, 4000 × 3000 pixels, 244 KB. It was sent earlier and is no longer shown.]";

function toMessage(entry: number, more: Partial<MessageImage> = {}): Message {
  return { role: "user", text: "Look.", images: [{ ...IMAGE, ...more }], entry };
}

describe("a pruned conversation", () => {
  it("has a sentence for each image, and the images of the person's present requests", () => {
    const messages = [toMessage(1), toMessage(5), toMessage(7, { name: "a.jpg", description: "A <content> cat." })];
    const pruned = pruneMessages(messages, [5]);
    expect(pruned[0]).toEqual({ role: "user", text: `Look.\n\n${SENTENCE}`, entry: 1 });
    expect(pruned[1]).toBe(messages[1]);
    expect(pruned[2]!.text).toContain('[image abababababab "a.jpg": JPEG, 4000 × 3000 pixels, 244 KB.');
    expect(pruned[2]!.text).toMatch(/Another model describes it:\n<content>\nA .*cat\.\n<\/content>$/);
    expect(pruned[2]!.text.match(/<content>/g)).toHaveLength(1);
    expect(pruneMessages(pruned, [5])).toEqual(pruned);
  });

  it("is lighter by the tokens of the images", () => {
    const [known, unknown] = [toMessage(1, { tokens: 1_600 }), toMessage(1)];
    expect(messageTokens(known)).toBeGreaterThan(1_600);
    expect(messageTokens(unknown)).toBeGreaterThan(700);
    expect(messageTokens(pruneMessages([known])[0]!)).toBeLessThan(80);
  });
});

describe("a summary", () => {
  it("is made from the sentences, with a model and without", () => {
    const input = { gap: [toMessage(1)], previous: "", focus: "", dayOf: () => "2026-11-26" };
    expect(renderSummaryRequest(input, 500, 10_000)).toContain(SENTENCE);
    expect(renderStaticSummary(input)).toContain(SENTENCE);
  });
});
