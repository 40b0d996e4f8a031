// Begins a run: takes a place in the Account first, then posts the message to the session. A request that is sent again with its key goes
// on where the first one was cut off, because the session knows the message by the run's id.
import { ulid } from "ulid";
import { err } from "../../../core/errors.ts";
import { type ProfileId, fromTurnId } from "../../../core/schemas/ids.ts";
import { sha256Hex } from "../../../core/schemas/learning/digest.ts";
import type { PostRun, RunRow } from "../../../core/schemas/run.ts";
import type { Env } from "../env.ts";
import { AppError, unwrap } from "../problems.ts";
import { openAccount, openSession } from "../sessions/session-rpc.ts";
import { type RunDeskRpc, askRunDesk } from "./run-desk-rpc.ts";

export interface RunScope {
  env: Env;
  profile: ProfileId;
  settingsRev: number;
  /** Work after the response. */
  waitUntil(work: Promise<unknown>): void;
}

/** Failures: those of `AccountRuns.begin` and of `SessionCalls.post`, after which nothing is left of the run. */
export function beginRun(scope: RunScope, body: PostRun, key: string | undefined): Promise<RunRow> {
  return askRunDesk(scope.env, scope.profile, (desk) => begin(scope, desk, body, key));
}

async function begin(scope: RunScope, desk: RunDeskRpc, body: PostRun, key: string | undefined): Promise<RunRow> {
  const { env, profile } = scope;
  const run = ulid();
  const createdAt = Date.now();
  const { session = ulid(), title = "", learning = "on" } = body;
  const begins = body.session === undefined && { begins: { session, title, learning, createdAt } };
  const hashes = key === undefined ? null : { key: sha256Hex(key), body: sha256Hex(JSON.stringify(body)) };
  const { row } = unwrap(await desk.begin({ run, session, ...begins, key: hashes }));
  if (row.turn !== null) return row;
  const isNew = body.session === undefined;
  const posted = await post(scope, row, body);
  if (!posted.ok) {
    await desk.drop(row.run);
    // The session was made for this message only.
    if (isNew) scope.waitUntil(Promise.resolve(openAccount(env, profile).eraseSession(row.session)));
    return unwrap(posted);
  }
  const turn = fromTurnId(posted.value.turn).n;
  await desk.place(row.run, turn);
  return { ...row, state: "open", turn };
}

async function post({ env, profile, settingsRev }: RunScope, row: RunRow, body: PostRun) {
  const session = openSession(env, profile, row.session);
  if (body.session === undefined) {
    const { title = "", learning = "on" } = body;
    const created = await session.create({ title, learning, createdAt: row.at });
    if (!created) return err("session_not_found", "The session was deleted while it was being created. Try again.");
  }
  const { input: text, images } = body;
  const rev = settingsRev > 0 && { settingsRev };
  return session.post({ text, images, busy: "queue", key: `run:${row.run}`, ...rev });
}

export function noRun(): AppError {
  return new AppError("run_not_found", "This profile has no run of that id. GET /v1/runs lists the runs of 30 days.");
}
