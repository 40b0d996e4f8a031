// What the API asks of a profile's runs. The Account hands it out; account-runs.ts documents the calls.
import { RpcTarget } from "cloudflare:workers";
import type { Result } from "../../core/errors.ts";
import type { RunId, RunRow } from "../../core/schemas/run.ts";
import type { SessionCalls } from "../../core/session/engine.ts";
import { readSettings } from "../../wiring/settings.ts";
import type { AccountEnv } from "../account-erasure.ts";
import { toSql } from "../sql.ts";
import { AccountRuns, type RunRequest, type RunsHost } from "./account-runs.ts";
import { type RunPage, createRunRows } from "./run-rows.ts";

/** Of the Account with this name. */
export function openRunDesk(
  { storage, id }: DurableObjectState,
  env: AccountEnv,
  account: Pick<RunsHost, "isThere" | "register">,
): RunDesk {
  const open = (session: string) =>
    env.SESSION.getByName(`${id.name}/${session}`) as unknown as Pick<SessionCalls, "readTurn">;
  return new RunDesk(
    new AccountRuns({
      ...account,
      rows: createRunRows(toSql(storage)),
      transaction: (work) => storage.transactionSync(work),
      readTurn: (session, turn) => open(session).readTurn(turn),
      maxOpen: readSettings(env).turn.maxOpenRuns,
      now: () => Date.now(),
    }),
  );
}

export class RunDesk extends RpcTarget {
  readonly #runs: AccountRuns;

  constructor(runs: AccountRuns) {
    super();
    this.#runs = runs;
  }

  begin(asked: RunRequest): Promise<Result<{ row: RunRow; replayed: boolean }>> {
    return this.#runs.begin(asked);
  }
  place(run: RunId, turn: number): void {
    this.#runs.place(run, turn);
  }
  drop(run: RunId): void {
    this.#runs.drop(run);
  }
  find(run: RunId): RunRow | null {
    return this.#runs.find(run);
  }
  list(page: RunPage): RunRow[] {
    return this.#runs.list(page);
  }
  settle(ended: Parameters<AccountRuns["settle"]>[0]): void {
    this.#runs.settle(ended);
  }
}
