// The Agenda object of a profile: its jobs, its roles and the list of its boards. Called by the API, by the profile's sessions and by its Account. A
// profile that uses none of this stores nothing here. See docs/decisions/0097.
import { DurableObject } from "cloudflare:workers";
import { BOARD_LIST_SCHEMA, type ListedBoard, createBoardList } from "../../core/agenda/board-list.ts";
import { ROLE_SCHEMA, createRoleRows } from "../../core/agenda/role-rows.ts";
import { ulid } from "ulid";
import type { JobCall } from "../../core/commands/jobs/job-port.ts";
import type { ChangeCall } from "../../core/jobs/jobs.ts";
import { type Result, err, messageOf, ok } from "../../core/errors.ts";
import type { ChangeJob, CreateJob, JobName } from "../../core/schemas/agenda/job.ts";
import type { NewGoal } from "../../core/goals/goal-machine.ts";
import type { Goal, GoalChange, GoalDetail, GoalId, GoalVerdict } from "../../core/schemas/agenda/goal.ts";
import type { Role, RoleName } from "../../core/schemas/agenda/role.ts";
import type { BoardName } from "../../core/schemas/board/card.ts";
import type { SessionDelivery } from "../../core/schemas/channels/delivery.ts";
import { ProfileId, type SessionId } from "../../core/schemas/ids.ts";
import { readBeginner } from "../../core/session/channel/begun-by.ts";
import { createPageReader } from "../../core/tools/web/page/page-reader.ts";
import { changePolicy } from "../../stores/curation/shared-records.ts";
import { systemClock } from "../../stores/platform/system-clock.ts";
import { openBucket } from "../../wiring/stores.ts";
import { openOutbound } from "../../wiring/outbound.ts";
import { readSettings } from "../../wiring/settings.ts";
import { hasTable, toSql } from "../sql.ts";
import {
  type AgendaCheckUp,
  type AgendaEnv,
  openAccount,
  openBoard,
  openBoardSettings,
  openChannels,
  openSession,
} from "./context.ts";
import { type JobDesk, createJobDesk } from "./job-desk.ts";
import { lookAtGate } from "./look-at-gate.ts";
import { createGoalDesk } from "./goals.ts";

/** [own] */
const MAX_ROLES = 50;
const MAX_BOARDS = 20;
/** Until an alarm comes if the object dies at work. */
const WATCH_MS = 60_000;
const PROFILE_GONE = err("profile_gone", "This profile has been deleted.");

export class Agenda extends DurableObject<AgendaEnv> {
  readonly #profile = ProfileId.parse(this.ctx.id.name);
  readonly #sql = toSql(this.ctx.storage);
  readonly #roles = createRoleRows(this.#sql);
  readonly #boards = createBoardList(this.#sql);
  #opened: JobDesk | null = null;
  /** Settles when no board is being made or erased. */
  #boardWork: Promise<unknown> = Promise.resolve();
  readonly #goals = createGoalDesk({
    ...{ sql: this.#sql, env: this.env, profile: this.#profile },
    changed: async () => {
      await this.#arm();
      this.ctx.waitUntil(this.#goals.tell().then(() => this.#arm()));
    },
  });

  // ---- roles ----

  async listRoles(): Promise<{ name: RoleName; role: Role }[]> {
    return this.#exists() ? this.#roles.list() : [];
  }
  /** Failure: `role_not_found`. */
  async readRole(name: RoleName): Promise<Result<Role>> {
    const role = this.#exists() ? this.#roles.find(name) : null;
    return role ? ok(role) : err("role_not_found", `There is no role '${name}'.`);
  }
  /** Idempotent: until it has answered, call it again. Cards that wait for the role begin. Failures: `profile_gone`, `too_many_roles`. */
  async putRole(name: RoleName, role: Role): Promise<Result<Role>> {
    const begun = await this.#begin();
    if (!begun.ok) return begun;
    if (!this.#roles.find(name) && this.#roles.list().length >= MAX_ROLES) {
      return err("too_many_roles", `A profile has at most ${MAX_ROLES} roles. Remove one first.`);
    }
    this.#roles.put(name, role);
    await Promise.all(this.#boards.list().map((board) => openBoard(this.env, this.#profile, board.name).wake(name)));
    return ok(role);
  }
  /** Failure: `role_not_found`. Cards keep the name. Those whose turn comes wait in `ready` until there is such a role again. */
  async removeRole(name: RoleName): Promise<Result<null>> {
    const found = this.#exists() && this.#roles.remove(name);
    return found ? ok(null) : err("role_not_found", `There is no role '${name}'.`);
  }

  // ---- boards ----

  async listBoards(): Promise<ListedBoard[]> {
    return this.#exists() ? this.#boards.list() : [];
  }
  /** Idempotent. The profile's sessions hear of it as of a setting. Failures: `profile_gone`, `too_many_boards`. */
  async addBoard(name: BoardName): Promise<Result<null>> {
    return this.#inTurn(() => this.#addBoard(name));
  }
  async #addBoard(name: BoardName): Promise<Result<null>> {
    const begun = await this.#begin();
    if (!begun.ok) return begun;
    const known = this.#boards.list();
    const createdAt = known.find((board) => board.name === name)?.createdAt ?? systemClock.now();
    if (!known.some((board) => board.name === name)) {
      if (known.length >= MAX_BOARDS) {
        return err("too_many_boards", `A profile has at most ${MAX_BOARDS} boards. Remove one first.`);
      }
      this.#boards.add(name, createdAt);
    }
    await openBoard(this.env, this.#profile, name).begin();
    // An answer of another object that is passed on as it is keeps the asker awake: workerd, 2026-10.
    const { ok: isPut } = await openBoardSettings(this.env, this.#profile).putSetting("boards", name, { createdAt });
    return isPut ? ok(null) : PROFILE_GONE;
  }
  /** How many runs the board may have open, which has or wants `open`. Wakes the boards that wait for a place that is free now. */
  async takePlaces(name: BoardName, open: number): Promise<number> {
    if (!this.#exists()) return 0;
    const most = readSettings(this.env).board.maxRunningPerProfile;
    const { places, freed } = this.#boards.takePlaces(name, open, most);
    for (const other of freed) this.ctx.waitUntil(openBoard(this.env, this.#profile, other).wake());
    return places;
  }
  /** With all its cards. Idempotent. */
  async removeBoard(name: BoardName): Promise<void> {
    return this.#inTurn(() => this.#removeBoard(name));
  }
  async #removeBoard(name: BoardName): Promise<void> {
    if (!this.#exists()) return;
    await openBoardSettings(this.env, this.#profile).removeSetting("boards", name);
    await openBoard(this.env, this.#profile, name).erase();
    await this.takePlaces(name, 0);
    this.#boards.remove(name);
  }

  // ---- jobs; job-desk.ts documents the calls ----

  async createJob(spec: CreateJob, call: ChangeCall & Pick<JobCall, "author">) {
    return this.#jobs().create(spec, call);
  }
  async listJobs(page: { after: string; limit: number }) {
    return this.#jobs().list(page);
  }
  async readJob(name: JobName) {
    return this.#jobs().read(name);
  }
  async changeJob(name: JobName, change: ChangeJob, call: ChangeCall & Pick<JobCall, "author">) {
    return this.#jobs().change(name, change, call);
  }
  async pauseJob(name: JobName, why: string, call?: ChangeCall) {
    return this.#jobs().pause(name, why, call);
  }
  async resumeJob(name: JobName, call?: ChangeCall) {
    return this.#jobs().resume(name, call);
  }
  async runJob(name: JobName, call: Pick<JobCall, "op">) {
    return this.#jobs().run(name, call);
  }
  async removeJob(name: JobName, call?: ChangeCall) {
    return this.#jobs().remove(name, call);
  }
  async listJobRuns(name: JobName, page: { before: number | null; limit: number }) {
    return this.#jobs().listRuns(name, page);
  }

  // ---- goals; goals.ts documents them ----

  async listGoals(): Promise<Goal[]> {
    return this.#goals.list();
  }
  async showGoal(id: GoalId): Promise<Result<GoalDetail>> {
    return this.#goals.show(id);
  }
  async newestGoal(session: SessionId): Promise<Goal | null> {
    return this.#goals.newestOf(session);
  }
  async beginGoal(goal: NewGoal, replace: boolean): Promise<Result<Goal>> {
    return this.#goals.begin(goal, replace);
  }
  async changeGoal(id: GoalId, change: GoalChange, source?: "content"): Promise<Result<Goal>> {
    return this.#goals.change(id, change, source);
  }
  async takeVerdict(id: GoalId, of: { session: SessionId; turn: number }, verdict: GoalVerdict): Promise<Goal | null> {
    return this.#goals.takeVerdict(id, of, verdict);
  }

  /** How the turn of a job's run has ended, or what it says. Once this has answered, it is stored. Idempotent by its id. */
  async takeDelivery(delivery: SessionDelivery): Promise<void> {
    const beginner = readBeginner(delivery.origin);
    if (beginner.kind === "job") await this.#jobs().takeEnd(beginner.run, delivery);
  }
  /** Idempotent. Called by the profile's Account. */
  async forgetSession(session: SessionId): Promise<void> {
    this.#jobs().forgetSession(session);
    await this.#goals.forgetSession(session);
    await this.#arm();
  }

  // ---- work ----

  /** What a person should look at. An alarm that is missing is set. */
  async checkUp(): Promise<AgendaCheckUp> {
    const alarm = await this.ctx.storage.getAlarm();
    const due = this.#nextDue();
    if (due !== null && alarm === null) await this.#arm();
    return {
      ...{ alarm, due, jobs: this.#jobs().checkUp() },
      goals: this.#goals.list().map(({ id, session, state, reason }) => ({ id, session, state, reason })),
      boards: (await this.listBoards()).map(({ name }) => name),
      roles: (await this.listRoles()).map(({ name }) => name),
    };
  }

  override async alarm(): Promise<void> {
    const desk = this.#jobs();
    if (this.#nextDue() === null) return;
    await this.ctx.storage.setAlarm(systemClock.now() + WATCH_MS);
    // Not awaited: no alarm fires while one is handled, and a gate may be slow.
    this.ctx.waitUntil(
      this.#goals
        .tell()
        .then(() => desk.work())
        .then(() => this.#arm())
        .catch((error: unknown) => this.#report("work", error)),
    );
  }

  async #arm(): Promise<void> {
    const due = this.#nextDue();
    if (due === null) await this.ctx.storage.deleteAlarm();
    else await this.ctx.storage.setAlarm(Math.max(due, systemClock.now()));
  }

  /** Milliseconds since 1970; `null`: there is nothing to do. */
  #nextDue(): number | null {
    const due = [this.#jobs().nextDue(), this.#goals.nextDue()].filter((at) => at !== null);
    return due.length === 0 ? null : Math.min(...due);
  }

  /** Deletes everything, the boards first. Idempotent. Called by the profile's Account, which no longer knows the profile. */
  async erase(): Promise<void> {
    return this.#inTurn(async () => {
      for (const { name } of await this.listBoards()) await openBoard(this.env, this.#profile, name).erase();
      await this.ctx.storage.deleteAlarm();
      await this.ctx.storage.deleteAll();
    });
  }

  /** Boards are made and erased one after the other, so that one is listed exactly while it exists: a list without it would never erase it. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#boardWork.then(work);
    this.#boardWork = done.catch(() => {});
    return done;
  }

  /** Makes the tables. Anyone may guess a profile's id, so nothing is stored before the Account knows it. */
  async #begin(): Promise<Result<null>> {
    if (this.#exists()) return ok(null);
    if ((await openAccount(this.env, this.#profile).checkProfile()) === null) return PROFILE_GONE;
    this.#sql.transaction(() => {
      for (const query of [...ROLE_SCHEMA, ...BOARD_LIST_SCHEMA]) this.#sql.run(query);
    });
    return ok(null);
  }
  #jobs(): JobDesk {
    const settings = readSettings(this.env);
    return (this.#opened ??= createJobDesk({
      ...{ sql: this.#sql, clock: systemClock, random: Math.random, profile: this.#profile, limits: settings.jobs },
      newSession: () => ulid(),
      account: openAccount(this.env, this.#profile),
      channels: openChannels(this.env, this.#profile),
      session: (id) => openSession(this.env, this.#profile, id),
      look: (gate) => lookAtGate(gate, () => createPageReader(openOutbound(this.env, settings))),
      changePolicy: (next) => changePolicy(openBucket(this.env.SKILLS), this.#profile, next),
      hasTables: () => hasTable(this.#sql, "job"),
      arm: () => this.#arm(),
      background: (work) => this.ctx.waitUntil(work),
      report: (what, error) => this.#report(what, error),
    }));
  }
  #report(what: string, error: unknown): void {
    console.error(`agenda: ${what}: ${messageOf(error)}`);
  }
  #exists(): boolean {
    return hasTable(this.#sql, "role");
  }
}
