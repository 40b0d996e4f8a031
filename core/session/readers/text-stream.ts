// A byte stream that is written as text. Text that arrives while the reader is busy becomes one chunk, because sending a chunk
// from an object to its client costs about the same for any size. Used by stream-reader.ts.

export interface TextStream {
  stream: ReadableStream<Uint8Array>;
  /** False: the reader is too slow or has left, and nothing more is accepted. */
  write(text: string): boolean;
  /** Ends the stream once all was read. */
  end(): void;
  /** From now on, at most this many unread characters are allowed beyond those already unread. Unlimited before. */
  limit(chars: number): void;
}

const utf8 = new TextEncoder();

export function createTextStream(onCancel: () => void): TextStream {
  let waiting: string[] = [];
  let chars = 0;
  let allowed = Infinity;
  let maxChars = Infinity;
  let state: "open" | "ended" | "failed" | "left" = "open";
  let wake: (() => void) | null = null;

  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (waiting.length === 0 && state === "open") await new Promise<void>((resolve) => (wake = resolve));
        wake = null;
        if (waiting.length > 0) {
          const chunk = waiting.join("");
          waiting = [];
          chars = 0;
          maxChars = allowed;
          controller.enqueue(utf8.encode(chunk));
        }
        if (state === "ended") controller.close();
        if (state === "failed") {
          controller.error(new Error("The reader is too slow; it may return with its last event id."));
        }
      },
      cancel() {
        state = "left";
        waiting = [];
        wake?.();
        onCancel();
      },
    },
    { highWaterMark: 0 },
  );

  return {
    stream,
    write(text) {
      if (state !== "open") return false;
      waiting.push(text);
      chars += text.length;
      if (chars > maxChars) {
        state = "failed";
        waiting = [];
      }
      wake?.();
      return state === "open";
    },
    end() {
      if (state === "open") state = "ended";
      wake?.();
    },
    limit(more) {
      allowed = more;
      maxChars = chars + more;
    },
  };
}
