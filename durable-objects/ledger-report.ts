// Reports what a profile used: sums over its usage lines, and the grants of reviews that are not settled. Used by the ledger.
// Reads only.
import type { Sql } from "../core/ports.ts";
import { dayOf } from "../core/schemas/ids.ts";
import type { OpenGrant, UsageAsked, UsageBy, UsageReport, UsageSplit, UsageSum } from "../core/schemas/usage.ts";
import { UNSETTLED } from "./ledger-lines.ts";
import { listReservations } from "./ledger-reservations.ts";

/** Lines of one answer. */
const MAX_LINES = 1_000;
const MAX_GRANTS = 100;

interface ReportRow {
  key: string;
  part: string;
  source: keyof UsageSum["sources"];
  calls: number;
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  reasoning: number;
  usdMicros: number;
}

export function reportUsage(
  sql: Sql,
  { from, to, by, split, after, limit = MAX_LINES, now }: UsageAsked & { now: number },
): UsageReport {
  const rows = sql.run<ReportRow>(
    `SELECT ${by} AS key, ${split ?? "''"} AS part, source, sum(calls) AS calls, sum(input) AS input, sum(output) AS output,
      sum(cache_read) AS cacheRead, sum(cache_write) AS cacheWrite, sum(reasoning) AS reasoning,
      sum(usd_micros) AS usdMicros FROM usage_line WHERE day >= ? AND day <= ? GROUP BY 1, 2, source`,
    from,
    to,
  );
  const grants = listGrants(sql, now);
  const charged = grants
    .filter(({ state, reservedAt }) => state === "unsettled" && dayOf(reservedAt) >= from && dayOf(reservedAt) <= to)
    .map((grant) => toChargedRow(grant, by, split));
  const all = [...rows, ...charged];
  const byKey = Map.groupBy(all, ({ key }) => key);
  const keys = [...byKey.keys()].toSorted().filter((key) => after === undefined || key > after);
  const lines = keys.slice(0, limit).map((key) => toLine(key, byKey.get(key)!, split));
  return {
    from,
    to,
    by,
    totals: sumOf(all),
    lines,
    grants: grants.slice(0, MAX_GRANTS),
    ...(keys.length > limit && { next: lines.at(-1)!.key }),
  };
}

/** Grants of reviews that are not settled. `unsettled`: expired ones. */
function listGrants(sql: Sql, now: number): OpenGrant[] {
  return listReservations(sql)
    .filter(({ kind }) => kind === "review")
    .map(({ id, session, tokens, usdMicros, reservedAt, expiresAt }) => ({
      review: id,
      session,
      state: expiresAt > now ? "open" : "unsettled",
      tokens,
      ...(usdMicros === null ? {} : { usd: usdMicros / 1_000_000 }),
      reservedAt,
      expiresAt,
    }));
}

/** A whole grant as one line: all tokens as input, without a price source. */
function toChargedRow(
  { session, tokens, usd = 0, reservedAt }: OpenGrant,
  by: UsageBy,
  split: UsageSplit | undefined,
): ReportRow {
  const keys = { day: dayOf(reservedAt), session, kind: "review", model: UNSETTLED };
  const [key, part] = [keys[by], split ? keys[split] : ""];
  const counts = { calls: 0, input: tokens, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 };
  return { key, part, source: "none", ...counts, usdMicros: Math.round(usd * 1_000_000) };
}

function toLine(key: string, rows: ReportRow[], split: UsageSplit | undefined): UsageReport["lines"][number] {
  const sum = { key, ...sumOf(rows) };
  if (!split) return sum;
  const byPart = [...Map.groupBy(rows, ({ part }) => part)].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return { ...sum, parts: byPart.map(([part, of]) => ({ key: part, ...sumOf(of) })) };
}

function sumOf(rows: ReportRow[]): UsageSum {
  const total = (field: Exclude<keyof ReportRow, "key" | "part" | "source">, of = rows) =>
    of.reduce((sum, row) => sum + row[field], 0);
  const bySource = Map.groupBy(rows, (row) => row.source);
  const [input, output, cacheRead, cacheWrite] = [
    total("input"),
    total("output"),
    total("cacheRead"),
    total("cacheWrite"),
  ];
  return {
    calls: total("calls"),
    tokens: input + output + cacheRead + cacheWrite,
    input,
    output,
    cacheRead,
    cacheWrite,
    reasoning: total("reasoning"),
    usd: total("usdMicros") / 1_000_000,
    sources: Object.fromEntries(
      [...bySource]
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .map(([source, of]) => [source, { calls: total("calls", of), usd: total("usdMicros", of) / 1_000_000 }]),
    ),
  };
}
