// Asks the product's way out for each URL, with the policy of an operator who set nothing. What reaches the recording fetch was allowed.
// Called by bench/urls.ts and its test.
import { DEFAULTS } from "../../core/limits.ts";
import { createOutbound } from "../../core/outbound/outbound.ts";
import { systemClock } from "../../stores/platform/system-clock.ts";
import { readPolicy } from "../../wiring/outbound.ts";
import type { Row } from "./rows.ts";

export interface JudgedRow {
  row: Row;
  verdict: Row["expect"];
  /** Why it was refused; empty if it was allowed. */
  why: string;
}

export async function judgeRows(rows: Row[]): Promise<JudgedRow[]> {
  const judged: JudgedRow[] = [];
  for (const row of rows) judged.push(await judgeRow(row));
  return judged;
}

async function judgeRow(row: Row): Promise<JudgedRow> {
  const sent: string[] = [];
  const outbound = createOutbound({
    fetch: async (input) => {
      sent.push(String(input));
      return new Response("");
    },
    clock: systemClock,
    policy: readPolicy({}, DEFAULTS),
  });
  const options = { signal: new AbortController().signal, timeoutMs: 10_000, maxBytes: 1_000 };
  const reply = await outbound.request(row.url, options);
  return { row, verdict: sent.length > 0 ? "allow" : "refuse", why: reply.ok ? "" : reply.failure.message };
}

export function countWrong(judged: JudgedRow[]): { total: number; wronglyAllowed: number; wronglyRefused: number } {
  const wrong = judged.filter(({ row, verdict }) => verdict !== row.expect);
  return {
    total: judged.length,
    wronglyAllowed: wrong.filter(({ verdict }) => verdict === "allow").length,
    wronglyRefused: wrong.filter(({ verdict }) => verdict === "refuse").length,
  };
}
