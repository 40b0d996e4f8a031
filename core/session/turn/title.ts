// The title of a session that has none, and the kind of work of its first answered turn. One model call of the slot `title`
// gives both. The end of that turn plans the call as a job; the outbox makes it. It never delays a turn, and gives up after a
// few tries, because a missing title does no harm.
import type { ModelFailure, ModelRequest } from "../../agent/contract.ts";
import { askModel } from "../../agent/model-turn.ts";
import { readKindLine, toBareLine } from "../../learning/kinds.ts";
import { renderTitleRequest, titlePrompt } from "../../prompts/title.ts";
import { redactText } from "../../redact.ts";
import { messageOf, textOf } from "../../schemas/entry.ts";
import { type SpentCall, toSpentCall, toUsageLines } from "../../schemas/usage.ts";
import type { EngineContext } from "../context.ts";
import type { Job, JobRow } from "../jobs.ts";
import { noteKinds } from "../learning/kinds.ts";
import { bookOutsideTurn, bookingRow, hasBudgetOutsideTurn } from "../ledger.ts";
import type { TurnRow } from "../log-turns.ts";
import type { Log } from "../log.ts";

/** Tries by alarm, in addition to the one right after the turn. */
const MAX_TRIES = 3;
const MAX_TITLE_CHARS = 80;
/** Of the request, and of the answer. */
const EXCERPT_CHARS = 2_000;
/** Room for models that always reason. */
const MAX_OUTPUT_TOKENS = 2_000;

export type TitleRow = JobRow & { job: Extract<Job, { kind: "title" }> };

/** Call when a model has answered `turn`. `write` runs inside the caller's transaction. */
export function planTitle({ host, log, jobs, meta }: EngineContext, turn: TurnRow): { write(): void } {
  const { clock, settings } = host;
  const isDue = settings.turn.titles && meta().title === "" && isFirstAnswered(log, turn.n);
  const due = clock.now() + settings.turn.leaseMs; // the outbox is drained right after; this matters if the object dies first
  return {
    write() {
      if (isDue) jobs.put(bookingRow(toTitleId(host.session)), due, { kind: "title", turn: turn.n, spent: [] });
    },
  };
}

/** Replaces the job's row by the booking of its calls, or postpones it. */
export async function makeTitle(context: EngineContext, row: TitleRow): Promise<void> {
  const { host, log, jobs } = context;
  const { clock, random, settings, session } = host;
  const { turn: n, spent } = row.job;
  if (row.tries >= MAX_TRIES) return settle(context, row, "");
  if (row.due <= clock.now()) jobs.retry(row); // counts the try before it begins, because it may kill the object
  const models = host.models("title");
  const turn = log.turn(n)!;
  if (!models.ok || !(await hasBudgetOutsideTurn(context, toTitleId(session)))) return settle(context, row, "");
  const request = messageOf(log.entry(turn.input!)!);
  const own = log.entries(turn.input!, turn.final!).filter((entry) => entry.turn === n && entry.kind === "assistant");
  const answer = own.map(textOf).at(-1) ?? "";
  const charge = (failure: ModelFailure) => void (failure.spent && spent.push(failure.spent));
  const { result } = await askModel({
    models: models.value,
    at: 0,
    request: {
      ...toTitleRequest(request, answer),
      effort: settings.models.effort.title,
      cacheKey: `${session}:title`,
    },
    limits: { ...settings.turn, modelRetries: 0 },
    clock,
    random,
    signal: new AbortController().signal,
    sink: { text() {}, reasoning() {}, restart: charge },
  });
  if (result.ok) {
    spent.push(toSpentCall(result.value));
    return settle(context, row, toTitle(result.value.text), toWork(result.value.text));
  }
  charge(result.failure);
  if (!result.failure.retry) return settle(context, row, "");
  jobs.retry(row);
}

/** The request about the first answered turn. Also used by bench:judging. */
export function toTitleRequest(request: string, answer: string): Omit<ModelRequest, "cacheKey" | "effort"> {
  return {
    system: titlePrompt(),
    messages: [{ role: "user", text: renderTitleRequest(request, answer, EXCERPT_CHARS) }],
    tools: [],
    maxOutputTokens: MAX_OUTPUT_TOKENS,
    toolChoice: "none",
  };
}

/** The title in a model's answer; "" if there is none. */
export function toTitle(text: string): string {
  const line =
    redactText(text)
      .split("\n")
      .find((one) => /[\p{L}\p{N}]/u.test(one) && !readKindLine(one)) ?? "";
  const bare = toBareLine(line);
  return bare.length <= MAX_TITLE_CHARS
    ? bare
    : `${bare
        .slice(0, MAX_TITLE_CHARS - 1)
        .toWellFormed()
        .trimEnd()}…`;
}

/** The kind of work in the same answer; `null` if it names none. Also used by bench:judging. */
export function toWork(text: string): string | null {
  const lines = redactText(text)
    .split("\n")
    .flatMap((line) => readKindLine(line) ?? []);
  return lines.find(({ kind }) => kind !== null)?.kind ?? null;
}

/** Ends the job, with or without a title and a kind. */
function settle(context: EngineContext, { id, job }: TitleRow, title: string, work: string | null = null): void {
  const { host, jobs } = context;
  const { clock, session } = host;
  const lines = toUsageLines(job.spent.map((call: SpentCall) => ({ kind: "title", ...call })));
  const isUntitled = context.meta().title === ""; // a person may have named it meanwhile
  host.sql.transaction(() => {
    if (title !== "" && isUntitled) context.rename(title);
    if (work !== null) noteKinds(context, [{ turn: job.turn, kind: work }], "title");
    const named = title === "" || !isUntitled ? {} : { title };
    const isBooked = bookOutsideTurn(context, { id: toTitleId(session), session, at: clock.now(), lines, ...named });
    if (!isBooked) jobs.delete(id);
  });
}

/** The booking's id. The job uses the same row as its booking, which saves writing and deleting a row. */
export function toTitleId(session: string): string {
  return `${session}.title`;
}

/** Turns that no model answered, such as commands, do not count. */
function isFirstAnswered(log: Log, n: number): boolean {
  for (let before = log.turn(n - 1); before; before = log.turn(before.n - 1)) {
    if (before.state === "done" && before.stats.modelCalls > 0) return false;
  }
  return true;
}
