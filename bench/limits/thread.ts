// Runs one case of bench:limits over a workspace in a database file. Started by hold.ts in a thread with a limited heap.
import { DatabaseSync } from "node:sqlite";
import { parentPort, workerData } from "node:worker_threads";
import "../../core/session/engine.ts";
import { toSql } from "./sql.ts";
import { CASES } from "./cases.ts";

// Workers have no global Buffer, and just-bash uses other code paths without it.
Reflect.deleteProperty(globalThis, "Buffer");
const { database, name } = workerData as { database: string; name: string };
const found = CASES.find((one) => one.name === name);
if (!found) throw new Error(`unknown case '${name}'`);
const began = performance.now();
const result = await found.run(toSql(new DatabaseSync(database)));
parentPort!.postMessage({ ...result, ms: Math.round(performance.now() - began) });
