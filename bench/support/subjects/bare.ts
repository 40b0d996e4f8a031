// Drives bench/bare/worker.js. That Worker keeps no conversation, and its rows are not measured.
import { randomUUID } from "node:crypto";
import { FIRST_TEXT } from "./direct.ts";
import { send } from "../http.ts";
import { toOrderText } from "../orders.ts";
import type { Subject } from "./subject.ts";

export function createBare(url: string): Subject {
  return {
    name: "bare",
    async open() {
      const address = `${url}/${randomUUID()}`;
      return {
        async turn(order) {
          const timed = await send(address, { body: toOrderText(order), mark: FIRST_TEXT });
          if (timed.status !== 200 || timed.firstMs === null) throw new Error(`a bare turn failed: ${timed.text}`);
          return { sentAt: timed.sentAt, firstMs: timed.firstMs, totalMs: timed.totalMs };
        },
        meter: () => Promise.reject(new Error("the bare subject has no meter")),
        close: async () => {},
      };
    },
  };
}
