// The branch: takes what is copied page by page, each in one transaction, and begins to exist with the last one. What it has says what it
// needs next, so a copy that was cut off anywhere goes on. Called by the engine.
import type { Sql } from "../../ports.ts";
import { parsePartHashes } from "../../workspace/contents.ts";
import type { BranchNeed, BranchPage, BranchPlan } from "../../schemas/sessions/branch.ts";
import { putGuidance } from "../client/guidance.ts";
import type { CompactionState } from "../prompt/history.ts";
import { compactionState } from "../prompt/history.ts";
import type { EngineContext, SessionMeta } from "../context.ts";
import { indexInherited } from "../index-messages.ts";
import { beginReviewsAfter } from "../learning/review-state.ts";
import type { Engine } from "../open-engine.ts";
import { createTables, hasTables } from "../schema.ts";

/** Meta key `branching`, until the branch is whole. */
interface Begun extends Omit<Extract<BranchPage, { stage: "begin" }>, "stage" | "nodes"> {
  v: 1;
  plan: BranchPlan;
}

/** Parts of files that one page is asked for. */
const PARTS_A_PAGE = 64;

/** `page`: what was needed last; `null` at the beginning. Returns what is needed next. Idempotent. */
export function takeBranch(engine: Engine, plan: BranchPlan, page: BranchPage | null): BranchNeed {
  if (engine.known) return { stage: "done" };
  const { host, log } = engine.context;
  if (page) {
    host.sql.transaction(() => {
      if (!hasTables(host.sql)) createTables(host.sql);
      if (page.stage === "begin") putBegin(engine, plan, page);
      else putRows(engine.context, page);
    });
  }
  const begun = hasTables(host.sql) ? log.meta<Begun>("branching") : null;
  if (!begun) return { stage: "begin" };
  return findNeed(engine, begun) ?? finish(engine, begun);
}

function putBegin({ context }: Engine, plan: BranchPlan, page: Extract<BranchPage, { stage: "begin" }>): void {
  const { log, host } = context;
  const { stage: _, nodes, ...rest } = page;
  if (log.meta<Begun>("branching")) return;
  for (const node of nodes) insertRow(host.sql, "file_node", node);
  log.setMeta("branching", { v: 1, plan, ...rest } satisfies Begun);
}

/** Inside the caller's transaction. Rows that are there stay. */
export function putRows({ host, images }: EngineContext, page: Exclude<BranchPage, { stage: "begin" }>): void {
  const { sql } = host;
  switch (page.stage) {
    case "turns":
      for (const row of page.rows) insertRow(sql, "turn", row);
      return;
    case "entries":
      for (const row of page.rows) insertRow(sql, "entry", row);
      return;
    case "parts":
      for (const { hash, data } of page.parts) {
        sql.run("INSERT INTO file_part(hash, data) VALUES(?, ?) ON CONFLICT DO NOTHING", hash, data);
      }
      return;
    case "image":
      images.copy(page.row, page.data);
  }
}

/** A row that is there stays. */
export function insertRow(sql: Sql, table: string, row: Record<string, string | number | null>): void {
  const columns = Object.keys(row);
  const marks = columns.map(() => "?").join(", ");
  sql.run(`INSERT INTO ${table}(${columns.join(", ")}) VALUES(${marks}) ON CONFLICT DO NOTHING`, ...Object.values(row));
}

function findNeed({ context }: Engine, { plan, images }: Begun): BranchNeed | null {
  return findMissing(context, { lastTurn: plan.lastTurn, entry: plan.origins.at(-1)!.entry, images, contents: [] });
}

/** What is copied: turns and entries up to these, images, and contents of files beside those in `file_node`. */
export interface WantedRows {
  lastTurn: number;
  entry: number;
  images: string[];
  contents: string[];
}

/** What is still missing, one thing at a time; `null`: nothing. */
export function findMissing(
  context: EngineContext,
  { lastTurn, entry, images, contents }: WantedRows,
): BranchNeed | null {
  const { sql } = context.host;
  const newest = (table: string) => sql.run<{ n: number | null }>(`SELECT max(n) AS n FROM ${table}`)[0]?.n ?? 0;
  const turns = newest("turn");
  if (turns < lastTurn) return { stage: "turns", after: turns };
  const entries = newest("entry");
  if (entries < entry) return { stage: "entries", after: entries };
  const hashes = findMissingParts(sql, contents);
  if (hashes.length > 0) return { stage: "parts", hashes };
  const sha256 = images.find((one) => !context.images.has(one));
  return sha256 === undefined ? null : { stage: "image", sha256 };
}

function findMissingParts(sql: Sql, more: string[]): string[] {
  const nodes = sql.run<{ content: string }>("SELECT DISTINCT content FROM file_node WHERE content <> ''");
  const contents = [...nodes.map(({ content }) => content), ...more];
  const wanted = new Set(contents.flatMap((content) => parsePartHashes(content)));
  for (const { hash } of sql.run<{ hash: string }>("SELECT hash FROM file_part")) wanted.delete(hash);
  return [...wanted].slice(0, PARTS_A_PAGE);
}

/** From here on the session exists. Its usage begins at zero, and reviews begin after what was copied. */
function finish(engine: Engine, { plan, todos, compactions, undone, guidance }: Begun): BranchNeed {
  const { context } = engine;
  const { host, log } = context;
  const { title, learning, createdAt, backend, choice, tools, channel, origins } = plan;
  const { turn, entry } = origins.at(-1)!;
  const created: SessionMeta = {
    ...{ v: 1, createdAt, title, learning, branchedFrom: origins },
    ...(backend && { backend }),
    ...(choice && { choice }),
    ...(tools && { tools }),
    ...(channel && { channel }),
    ...(undone.length > 0 && { undone }),
    ...(host.messages && { indexed: true as const }),
  };
  host.sql.transaction(() => {
    log.forget(); // rows were written past its caches
    log.setMeta("session", created);
    if (todos.length > 0) log.setMeta("todo", { v: 1, items: todos });
    if (compactions.length > 0) {
      log.setMeta("compaction", { ...compactionState(log), entries: compactions } satisfies CompactionState);
    }
    if (guidance !== undefined) putGuidance(log, guidance);
    beginReviewsAfter(log, { entry, turn });
    indexInherited(context, turn);
    log.deleteMeta("branching");
  });
  engine.known = true;
  return { stage: "done" };
}
