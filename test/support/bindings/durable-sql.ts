// The Sql port over the storage of a real Durable Object, for tests that run in workerd.
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import type { Sql, SqlValue } from "../../../core/ports.ts";
import { newProfileId } from "../skills/profile-ids.ts";

const { SESSION } = env as unknown as { SESSION: DurableObjectNamespace };

/** Runs each piece of work in order, inside one new object and over its storage. */
export async function withDurableSql(...works: ((sql: Sql) => Promise<void>)[]): Promise<void> {
  const object = SESSION.getByName(`${newProfileId()}/${newProfileId().toUpperCase()}`);
  for (const work of works) await runInDurableObject(object, (_instance, state) => work(toSql(state.storage)));
}

function toSql(storage: DurableObjectStorage): Sql {
  return {
    run<Row>(query: string, ...values: SqlValue[]): Row[] {
      return storage.sql.exec(query, ...values).toArray() as Row[];
    },
    transaction: (work) => storage.transactionSync(work),
  };
}
