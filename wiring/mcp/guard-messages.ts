// Limits what a server's messages may cost before the client package looks at them: it answers each request of a server with a request of
// ours, and describes every item of an answer that it does not understand. Used by connection.ts, around every transport.
import {
  type JSONRPCMessage,
  type Transport,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
} from "@modelcontextprotocol/client";
import { systemClock } from "../../stores/platform/system-clock.ts";

/** JSON-RPC error code in place of an answer that is too large. No server may use it: the range is reserved, and this one is unused. */
export const TOO_LARGE_CODE = -32_767;

/** [own] Requests of a server that are answered within a span of time. Others are dropped: each answer is a subrequest. */
const MAX_REQUESTS = 20;
const SPAN_MS = 10_000;

/** [own] Items of a list in an answer. The package needs some 6 KB for each that it does not understand. */
const MAX_ITEMS = 2_000;
/** [own] Values in the parts of an answer. The package compares each of `content` and its like with five forms, and needs some 4 KB for it. */
const MAX_VALUES = { content: 10_000, contents: 10_000, messages: 10_000, structuredContent: 200_000 };
/** [own] In all other parts. Schemas have many values. */
const MAX_OTHER_VALUES = 50_000;
/** [own] Levels of nesting. */
const MAX_DEPTH = 64;

type OnMessage = NonNullable<Transport["onmessage"]>;

/** The same transport. Its reader gets no message that costs more than these limits. */
export function guardMessages<Guarded extends Transport>(transport: Guarded): Guarded {
  /** The package may wrap its reader in another one, so that a message passes twice. */
  const judged = new WeakSet<JSONRPCMessage>();
  let spanBegan = 0;
  let requests = 0;
  let reader: OnMessage | undefined;

  function judge(message: JSONRPCMessage): JSONRPCMessage | null {
    if (judged.has(message)) return message;
    if (isJSONRPCRequest(message) && !mayAsk()) return null;
    const kept = isJSONRPCResultResponse(message) && !isSmall(message.result) ? toTooLarge(message.id) : message;
    judged.add(kept);
    return kept;
  }

  function mayAsk(): boolean {
    const now = systemClock.now();
    if (now - spanBegan >= SPAN_MS) [spanBegan, requests] = [now, 0];
    return ++requests <= MAX_REQUESTS;
  }

  Object.defineProperty(transport, "onmessage", {
    configurable: true,
    get: () => reader,
    set(given: OnMessage | undefined) {
      reader =
        given &&
        ((message, extra) => {
          const kept = judge(message);
          if (kept) given(kept, extra);
        });
    },
  });
  return transport;
}

function isSmall(result: Record<string, unknown>): boolean {
  const { content, contents, messages, structuredContent, ...rest } = result;
  return (
    [...Object.values(rest), content, contents, messages].every(isShort) &&
    fits(content, MAX_VALUES.content) &&
    fits(contents, MAX_VALUES.contents) &&
    fits(messages, MAX_VALUES.messages) &&
    fits(structuredContent, MAX_VALUES.structuredContent) &&
    fits(rest, MAX_OTHER_VALUES)
  );
}

function isShort(value: unknown): boolean {
  return !Array.isArray(value) || value.length <= MAX_ITEMS;
}

function fits(whole: unknown, maxValues: number): boolean {
  let left = maxValues;
  const visit = (value: unknown, depth: number): boolean => {
    if (--left < 0) return false;
    if (typeof value !== "object" || value === null) return true;
    return depth > 0 && Object.values(value).every((inner) => visit(inner, depth - 1));
  };
  return visit(whole, MAX_DEPTH);
}

function toTooLarge(id: string | number): JSONRPCMessage {
  return { jsonrpc: "2.0", id, error: { code: TOO_LARGE_CODE, message: "The answer is too large." } };
}
