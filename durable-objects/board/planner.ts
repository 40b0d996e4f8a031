// The planner of a Board object: its models, the profile's roles, and the profile's budget. Called by the Board object.
import { ulid } from "ulid";
import type { Board } from "../../core/board/contract.ts";
import { type Planner, createPlanner } from "../../core/board/plan/planner.ts";
import { err, ok } from "../../core/errors.ts";
import type { Settings } from "../../core/schemas/settings.ts";
import { NOTHING_SPENT, isLimited, toDayBudget, toUsageLines } from "../../core/schemas/usage.ts";
import { systemClock } from "../../stores/platform/system-clock.ts";
import { openModels } from "../../wiring/models.ts";
import { openOutbound } from "../../wiring/outbound.ts";
import { BOARDS } from "../ledger-lines.ts";
import type { AccountStub, AgendaStub, BoardEnv } from "./context.ts";

export interface BoardPlannerDeps {
  board: Board;
  settings: Settings;
  account: AccountStub;
  agenda: AgendaStub;
  isGone(): boolean;
}

export function createBoardPlanner(
  env: BoardEnv,
  { board, settings, account, agenda, isGone }: BoardPlannerDeps,
): Planner {
  return createPlanner({
    ...{ board, settings, isGone },
    ...{ clock: systemClock, random: Math.random },
    models: () => openModels(env, settings, "plan", openOutbound(env, settings)),
    async roles() {
      return (await agenda.listRoles()).map(({ name, role }) => ({ name, description: role.description }));
    },
    async admit(id) {
      if ((await account.checkProfile()) === null) return err("profile_gone", "This profile has been deleted.");
      const day = toDayBudget(settings.budget);
      if (!isLimited(day)) return ok(null);
      const now = systemClock.now();
      const answer = await account.reserveTurn({ turn: id, session: BOARDS, now, spent: NOTHING_SPENT, day });
      if (answer !== null && !("monthUntil" in answer)) return ok(null);
      const which = answer === null ? "Today's" : "This month's";
      return err("profile_budget_spent", `${which} budget for this profile is spent, or reserved for what is running.`);
    },
    book: (id, spent) =>
      account.book({
        ...{ id, session: BOARDS, at: systemClock.now() },
        lines: toUsageLines(spent.map((call) => ({ kind: "plan", ...call }))),
      }),
    newId: () => `${BOARDS}.plan.${ulid()}`,
  });
}
