// `/model`, `/reasoning`, `/personality` and `/title`: without an argument they say what is chosen and what there is; `default` goes
// back to the deployment's own. Called by run-command.ts. Repeated after a crash, a command changes nothing more and answers the same.
import { findClosest } from "../../near.ts";
import { type SessionChoice, ChangeSession } from "../../schemas/sessions/session-choice.ts";
import { Effort } from "../../schemas/settings.ts";
import type { EngineContext } from "../context.ts";
import type { TurnRow } from "../log-turns.ts";
import { areSettingsOld, renewProfileSettings } from "../prompt/profile-settings.ts";
import type { NoticeEnding } from "../turn/endings.ts";
import { changeSession } from "./change-session.ts";
import { listPersonalities } from "./choice.ts";

type Chosen = keyof Pick<SessionChoice, "model" | "effort" | "personality"> | "title";

const NAMES: Record<Chosen, string> = {
  model: "model",
  effort: "reasoning",
  personality: "personality",
  title: "title",
};
const DEFAULT_WORDS = new Set(["default", "auto", "reset"]);

export async function choose(
  { context, turn }: { context: EngineContext; turn: TurnRow },
  what: Chosen,
  argument: string,
): Promise<NoticeEnding> {
  if (areSettingsOld(context, turn)) await renewProfileSettings(context);
  const given = argument.trim();
  if (given === "") return answer(describe(context, what));
  const isDefault = what !== "title" && DEFAULT_WORDS.has(given.toLowerCase());
  const value = isDefault ? null : what === "effort" || what === "personality" ? given.toLowerCase() : given;
  const changes = ChangeSession.safeParse({ [what]: value });
  if (!changes.success) return { state: "failed", code: `bad_${NAMES[what]}`, text: describeWrong(what, given) };
  const changed = await changeSession(context, changes.data);
  if (!changed.ok) return { state: "failed", code: changed.failure.code, text: changed.failure.message };
  return answer(
    what === "title" ? `The session is now named '${context.meta().title}'.` : describeChoice(context, what),
  );
}

function answer(text: string): NoticeEnding {
  return { state: "done", code: "chosen", text };
}

function describeWrong(what: Chosen, given: string): string {
  const shown = given.slice(0, 80).toWellFormed();
  if (what === "title") return "A title has 1 to 200 characters.";
  if (what === "effort") {
    const near = findClosest(given, Effort.options);
    const hint = near === null ? "" : ` Did you mean '${near}'?`;
    return `There is no effort '${shown}'.${hint} There are: ${Effort.options.join(", ")}, default.`;
  }
  return `'${shown}' is not a name: /${NAMES[what]} lists them.`;
}

function describeChoice(context: EngineContext, what: Exclude<Chosen, "title">): string {
  const value = context.meta().choice?.[what];
  if (value === undefined) return `From the next message on, the ${NAMES[what]} is the default.`;
  return `From the next message on, the ${NAMES[what]} is ${value}. /${NAMES[what]} default goes back.`;
}

function describe(context: EngineContext, what: Chosen): string {
  const { choice = {}, title } = context.meta();
  switch (what) {
    case "model": {
      const names = context.host.modelChoices?.() ?? [];
      return list(
        `The model is ${choice.model ?? "the default"}.`,
        names.map((name, i) => `${name}${i === 0 ? " (default)" : ""}`),
      );
    }
    case "effort":
      return list(`The reasoning is ${choice.effort ?? "the default"}.`, Effort.options);
    case "personality": {
      const all = Object.entries(listPersonalities(context)).toSorted(([a], [b]) => (a < b ? -1 : 1));
      const lines = all.map(([name, { description }]) => (description === "" ? name : `${name}: ${description}`));
      return list(`The personality is ${choice.personality ?? "the default"}.`, lines);
    }
    case "title":
      return title === "" ? "The session has no title. /title TEXT gives it one." : `The session is named '${title}'.`;
  }
}

function list(first: string, lines: readonly string[]): string {
  return lines.length === 0 ? first : `${first} To choose from:\n${lines.map((line) => `- ${line}`).join("\n")}`;
}
