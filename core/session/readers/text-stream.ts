// A stream of bytes that is written as text. What gathers while nobody reads leaves as one chunk: to cross from an object to
// its client each chunk costs about the same, whatever its size. Used by the hub for readers of server-sent events.

export interface TextStream {
  stream: ReadableStream<Uint8Array>;
  /** False: the reader has fallen too far behind, or has left; nothing more is taken. */
  write(text: string): boolean;
  /** Ends the stream once all was read. */
  end(): void;
  /** From now on no more than so many characters may wait, beyond those that wait already. Before, any number may. */
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
