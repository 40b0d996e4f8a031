// Plans a card with the model of the slot `plan`: specifies it, or divides it. The card is read before the call and changed after it, and nothing is
// held meanwhile: a crash leaves the card as it was. One call at a time for a card and kind; who asks meanwhile gets its result. Created by the Board
// object; runs over node:sqlite in tests.
import type { ModelChain, ModelFailure } from "../../agent/contract.ts";
import { askModel } from "../../agent/model-turn.ts";
import { clip } from "../../clip.ts";
import { type Result, err, ok } from "../../errors.ts";
import type { Clock, Random } from "../../ports.ts";
import { type PlanKind, planPrompt, renderPlanRequest } from "../../prompts/plan/plan.ts";
import { redactText } from "../../redact.ts";
import type { CardId } from "../../schemas/board/card.ts";
import type { Settings } from "../../schemas/settings.ts";
import { type SpentCall, toSpentCall } from "../../schemas/usage.ts";
import type { Board, Call, Changed, PlanMaterial } from "../contract.ts";
import { MAX_PARTS, readParts, readSpecification } from "./read-plan.ts";

/** [hermes] triage_specifier, kanban_decomposer; here of both attempts together. */
const PLAN_MS: Record<PlanKind, number> = { specify: 120_000, decompose: 180_000 };
const MAX_OUTPUT_TOKENS: Record<PlanKind, number> = { specify: 4_096, decompose: 16_384 };
const MAX_BODY_CHARS = 32_000;
const MAX_COMMENT_CHARS = 2_000;
const MAX_EARLIER_CHARS = 8_000;

export interface PlannerDeps {
  board: Pick<Board, "beginPlan" | "applySpecification" | "applyParts">;
  clock: Clock;
  random: Random;
  settings: Pick<Settings, "turn" | "models">;
  models(): Result<ModelChain>;
  roles(): Promise<{ name: string; description: string }[]>;
  /** Whether the profile may spend something now. `id`: of the booking that follows, in every case. Failures: `profile_gone`, `profile_budget_spent`. */
  admit(id: string): Promise<Result<null>>;
  /** Once under its id. Rejects if it could not be booked: then nothing is changed. */
  book(id: string, spent: SpentCall[]): Promise<void>;
  newId(): string;
  /** The board was erased. */
  isGone(): boolean;
}

/**
 * Failures, beside those of `Board.beginPlan` and of the change: `plan_failed` (no model answers), `plan_unreadable` (it answered twice what cannot
 * be used), `profile_budget_spent`, `profile_gone`, `board_not_found`. After a failure the card is as it was.
 */
export interface Planner {
  plan(kind: PlanKind, call: Call, id: CardId): Promise<Result<Changed>>;
}

export function createPlanner(deps: PlannerDeps): Planner {
  const { board } = deps;
  const running = new Map<string, Promise<Result<Changed>>>();

  return {
    async plan(kind, call, id) {
      const begun = board.beginPlan(call, kind, id);
      if (!begun.ok) return begun;
      if (begun.value.done) return ok(begun.value.done);
      const key = `${kind} ${id}`;
      const other = running.get(key);
      if (other) {
        const answer = await other;
        return answer.ok ? ok({ ...answer.value, replayed: true }) : answer;
      }
      const work = make(kind, call, { id, seen: begun.value.material }).finally(() => running.delete(key));
      running.set(key, work);
      return work;
    },
  };

  async function make(
    kind: PlanKind,
    call: Call,
    { id, seen }: { id: CardId; seen: PlanMaterial },
  ): Promise<Result<Changed>> {
    const models = deps.models();
    if (!models.ok) return err("plan_failed", models.failure.message);
    const roles = kind === "decompose" ? await deps.roles() : [];
    const booking = deps.newId();
    const admitted = await deps.admit(booking);
    if (!admitted.ok) return admitted;
    const spent: SpentCall[] = [];
    const over = new AbortController();
    const limit = new AbortController();
    void deps.clock
      .sleep(PLAN_MS[kind], limit.signal)
      .then(() => over.abort())
      .catch(() => undefined); // the plan was quicker
    const ask = (earlier?: Earlier) =>
      askOnce(models.value, { kind, seen, roles, spent, signal: over.signal, earlier });
    // The booking ends the reservation, so it comes after a failure too, and before the change: a plan is never free.
    const finish = async () => {
      limit.abort();
      await deps.book(booking, spent);
    };
    if (kind === "specify") {
      const read = await askTwice(ask, readSpecification).finally(finish);
      return read.ok ? (refuseGone() ?? board.applySpecification(call, id, seen, read.value)) : read;
    }
    const names = roles.map(({ name }) => name);
    const read = await askTwice(ask, (text) => readParts(text, names)).finally(finish);
    return read.ok ? (refuseGone() ?? board.applyParts(call, id, seen, read.value)) : read;
  }

  function refuseGone(): Result<never> | null {
    return deps.isGone() ? err("board_not_found", "The board was erased meanwhile.") : null;
  }

  async function askOnce(models: ModelChain, asked: Asked): Promise<Result<string>> {
    const { kind, seen, roles, spent, earlier } = asked;
    const { clock, random, settings } = deps;
    const charge = (failure: ModelFailure) => void (failure.spent && spent.push(failure.spent));
    const text = renderPlanRequest(kind, {
      card: `${seen.title}\n\n${clip(seen.body, MAX_BODY_CHARS)}`.trim(),
      comments: seen.comments.map((comment) => clip(comment, MAX_COMMENT_CHARS)),
      ...{ roles, maxCards: MAX_PARTS },
      ...(earlier && { earlier }),
    });
    const { result } = await askModel({
      ...{ models, at: 0, clock, random, signal: asked.signal },
      request: {
        system: planPrompt(kind),
        messages: [{ role: "user", text }],
        tools: [],
        maxOutputTokens: MAX_OUTPUT_TOKENS[kind],
        toolChoice: "none",
        effort: settings.models.effort.plan,
        cacheKey: `plan:${kind}`,
      },
      limits: { ...settings.turn, modelRetries: 0 },
      sink: { text() {}, reasoning() {}, restart: charge },
    });
    if (!result.ok) {
      charge(result.failure);
      return err("plan_failed", `The model could not be asked (${result.failure.code}). Try again later.`);
    }
    spent.push(toSpentCall(result.value));
    return ok(redactText(result.value.text));
  }
}

interface Earlier {
  answer: string;
  reason: string;
}

interface Asked {
  kind: PlanKind;
  seen: PlanMaterial;
  roles: { name: string; description: string }[];
  /** Each charged call is added. */
  spent: SpentCall[];
  signal: AbortSignal;
  earlier: Earlier | undefined;
}

/** An answer that cannot be used goes back once, with the reason. */
async function askTwice<T>(
  ask: (earlier?: Earlier) => Promise<Result<string>>,
  read: (text: string) => Result<T>,
): Promise<Result<T>> {
  const first = await ask();
  if (!first.ok) return first;
  const plan = read(first.value);
  if (plan.ok) return plan;
  const second = await ask({ answer: clip(first.value, MAX_EARLIER_CHARS), reason: plan.failure.message });
  if (!second.ok) return second;
  const repaired = read(second.value);
  if (repaired.ok) return repaired;
  return err(
    "plan_unreadable",
    `The model's plan cannot be used: ${repaired.failure.message} Nothing was changed. Try again, or write it yourself.`,
  );
}
