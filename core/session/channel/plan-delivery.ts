// What the chats of a turn are to be told, as jobs of the session's outbox: written in the transaction that makes it true. A turn whose
// messages came from no chat has no such job. Called where a turn ends, waits, or is told something.
import { type AskedQuestion, type Entry, type NoticeEntry, textOf } from "../../schemas/entry.ts";
import { toTurnId } from "../../schemas/ids.ts";
import type { ChannelOrigin, SessionDelivery } from "../../schemas/channels/delivery.ts";
import type { EngineContext } from "../context.ts";
import type { TurnRow } from "../log-turns.ts";
import { hearsEveryEnd } from "./begun-by.ts";

type PlanContext = Pick<EngineContext, "host" | "log" | "jobs">;

/** What is said. `n`: of the entry that says it. */
type Saying = Pick<SessionDelivery, "kind" | "text" | "question" | "settles" | "ended"> & { n: number };

/** Questions that a person in a chat can answer. */
const OF_PERSON: readonly AskedQuestion["for"][] = ["approval", "clarify"];

/** How the turn has ended. A chat hears nothing of a turn that ended for its next message. A board or a job hears of every end. */
export function planEndDeliveries(context: PlanContext, ended: TurnRow, steered: TurnRow[], closing: Entry[]): void {
  const all = originsOf(ended, steered);
  if (all.length === 0) return;
  const said = planWords(closing);
  const [every, others] = [
    all.filter(({ origin }) => hearsEveryEnd(origin)),
    all.filter(({ origin }) => !hearsEveryEnd(origin)),
  ];
  if (said) say(context, others, said);
  const { state } = ended;
  if (state !== "done" && state !== "failed" && state !== "stopped") return;
  const final = closing.at(-1)!;
  const code = final.kind === "notice" && { code: final.code };
  say(context, every, { ...(said ?? { kind: "notice", n: final.n, text: "" }), ended: { state, ...code } });
}

/** What the last entries say to a chat. */
function planWords(closing: Entry[]): Saying | null {
  const final = closing.at(-1)!;
  const words = closing.filter((entry) => textOf(entry).trim() !== "" && !isForReaders(entry, final));
  const isAnswer = words.some(({ kind }) => kind === "assistant");
  if (words.length === 0 || (final.kind === "notice" && final.code === "redirected" && !isAnswer)) return null;
  const text = words.map((entry) => textOf(entry).trim()).join("\n\n");
  return { kind: isAnswer ? "answer" : "notice", n: final.n, text };
}

/** The turn waits for a person. Waits for something else are not told. */
export function planAsked(context: PlanContext, turn: TurnRow, notice: NoticeEntry): void {
  const { asked: question } = notice;
  if (!question || !OF_PERSON.includes(question.for)) return;
  const origins = originsOf(turn, context.log.steeredInto(turn.n));
  say(context, origins, { kind: "question", n: notice.n, text: textOf(notice), question });
}

/** The wait of a parked turn is over. */
export function planSettled(context: PlanContext, turn: TurnRow, { n, text }: Pick<Saying, "n" | "text">): void {
  const { parked } = turn.more;
  if (!parked || !OF_PERSON.includes(parked.for)) return;
  const origins = originsOf(turn, context.log.steeredInto(turn.n));
  say(context, origins, { kind: "settled", n, text, settles: parked.id });
}

/** What a command did that was carried out beside a parked turn. */
export function planAnswer(context: PlanContext, command: TurnRow, said: Pick<Saying, "n" | "text">): void {
  say(context, originsOf(command, []), { kind: "notice", ...said });
}

/** What the agent has learned, for a chat that wants to read it. */
export function planLearnedWords(context: PlanContext, turn: TurnRow, said: Pick<Saying, "n" | "text">): void {
  const origins = originsOf(turn, []).filter(({ origin }) => origin.learned);
  say(context, origins, { kind: "notice", ...said });
}

/** The turn's chat, and those whose messages joined it. Each once. */
function originsOf(turn: TurnRow, steered: TurnRow[]): { turn: number; origin: ChannelOrigin }[] {
  const chats = new Map<string, { turn: number; origin: ChannelOrigin }>();
  for (const { n, more } of [turn, ...steered]) {
    if (more.channel && !chats.has(more.channel.chat)) chats.set(more.channel.chat, { turn: n, origin: more.channel });
  }
  return [...chats.values()];
}

function say(
  { host, jobs }: PlanContext,
  origins: { turn: number; origin: ChannelOrigin }[],
  { n, ...said }: Saying,
): void {
  if (!host.channels) return;
  const { session, clock } = host;
  const at = clock.now();
  for (const { turn, origin } of origins) {
    const id = `${toTurnId(session, turn)}.${n}.${said.kind}`;
    const delivery: SessionDelivery = { v: 1, id, origin, session, turn, at, ...said };
    jobs.put(`deliver:${id}`, at, { kind: "deliver", n, delivery });
  }
}

/** A notice that only has readers forget what an earlier object had shown them. */
function isForReaders(entry: Entry, final: Entry): boolean {
  return entry !== final && entry.kind === "notice" && entry.code === "resumed";
}
