// Changes what a person has chosen for a session, and its title. Called for `PATCH /v1/sessions/{id}` and by the commands /model,
// /reasoning, /personality and /title. A running turn keeps what it began with.
import { type Result, err, ok } from "../../errors.ts";
import { findClosest } from "../../near.ts";
import type { ChangeSession, SessionChoice } from "../../schemas/sessions/session-choice.ts";
import type { EngineContext } from "../context.ts";
import { readProfileSettingsAgain } from "../prompt/profile-settings.ts";
import { planRename } from "../rename.ts";
import { listPersonalities } from "./choice.ts";

/** All or nothing. Failures: `unknown_model`, `unknown_personality`; both name the nearest one. */
export async function changeSession(context: EngineContext, changes: ChangeSession): Promise<Result<null>> {
  const { host } = context;
  const { title, ...chosen } = changes;
  const model = chosen.model ? findModel(context, chosen.model) : ok(chosen.model);
  if (!model.ok) return model;
  const personality = chosen.personality
    ? await findPersonality(context, chosen.personality)
    : ok(chosen.personality ?? null);
  if (!personality.ok) return personality;
  host.sql.transaction(() => {
    const named = { ...chosen, ...(chosen.model && { model: model.value }) };
    const choice = mergeChoice(context.meta().choice ?? {}, named);
    if (JSON.stringify(choice) !== JSON.stringify(context.meta().choice)) context.changeMeta({ choice });
    if (title !== undefined && title !== context.meta().title) planRename(context, title);
  });
  return ok(null);
}

/** `undefined`: nothing is chosen. */
function mergeChoice(before: SessionChoice, changes: Omit<ChangeSession, "title">): SessionChoice | undefined {
  const given = Object.entries(changes).filter(([, value]) => value !== undefined);
  const merged = Object.entries({ ...before, ...Object.fromEntries(given) }).filter(([, value]) => value !== null);
  return merged.length === 0 ? undefined : (Object.fromEntries(merged) as SessionChoice);
}

/** The full name of a model by that name, in either case, with or without its provider. */
export function findModel({ host }: EngineContext, asked: string): Result<string> {
  const names = host.modelChoices?.() ?? [];
  const wanted = asked.trim().toLowerCase();
  const named = names.filter((name) => name.toLowerCase() === wanted);
  const bare = names.filter((name) => name.slice(name.indexOf(":") + 1).toLowerCase() === wanted);
  const [found, another] = named.length > 0 ? named : bare;
  if (found !== undefined && another === undefined) return ok(found);
  if (found !== undefined) return refuse("model", asked, { names: bare, near: found });
  return refuse("model", asked, { names, near: findClosest(asked, names) });
}

/** Reads the profile's settings again if the name is not known: it may be newer than this session's copy. */
async function findPersonality(context: EngineContext, asked: string): Promise<Result<string | null>> {
  if (Object.hasOwn(listPersonalities(context), asked)) return ok(asked);
  await readProfileSettingsAgain(context);
  const names = Object.keys(listPersonalities(context)).toSorted();
  return names.includes(asked) ? ok(asked) : refuse("personality", asked, { names, near: findClosest(asked, names) });
}

const MAX_LISTED = 30;

function refuse(
  what: "model" | "personality",
  asked: string,
  { names, near }: { names: string[]; near: string | null },
): Result<never> {
  const shown = asked.slice(0, 80).toWellFormed();
  if (names.length === 0)
    return err(`unknown_${what}`, `There is no ${what} '${shown}': this deployment has none to choose.`);
  const hint = near === null ? "" : ` Did you mean '${near}'?`;
  const listed = `${names.slice(0, MAX_LISTED).join(", ")}${names.length > MAX_LISTED ? " …" : ""}`;
  return err(`unknown_${what}`, `There is no ${what} '${shown}'.${hint} There are: ${listed}.`, {
    ...(near !== null && { near }),
  });
}
