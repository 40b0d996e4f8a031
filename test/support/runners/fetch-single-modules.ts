// A runtime of workerd that starts while others run asks Vitest for all modules that those have loaded, in one message. Here that message
// has 36 MiB, and workerd ends a WebSocket at a message of 32 MiB ("1009 Message is too large"): the test file was lost, and with it the
// run, whenever a runtime started late. It is told that there are none, and fetches each module when it needs it, as the first one does.
import type { PoolOptions, PoolRunnerInitializer, PoolWorker, WorkerRequest } from "vitest/node";

const METHOD = "fetchWarmModules";

/** A call of Vitest's RPC, as birpc sends it: `t` is `q` for a question, `s` for its answer. */
interface Question {
  t: "q";
  i: string;
  m: string;
}

export function answerNoWarmModules(worker: PoolWorker): PoolWorker {
  const listen = worker.on.bind(worker);
  worker.on = (event, callback) => {
    if (event !== "message") return listen(event, callback);
    listen(event, (message: unknown) => {
      if (isQuestion(message)) worker.send({ t: "s", i: message.i, r: null } as unknown as WorkerRequest);
      else callback(message);
    });
  };
  return worker;
}

function isQuestion(message: unknown): message is Question {
  return typeof message === "object" && message !== null && "m" in message && message.m === METHOD;
}

/** A Vitest plugin, listed after the one that sets the project's pool. */
export function fetchSingleModules() {
  return {
    name: "fetch-single-modules",
    configureVitest({ project }: { project: { config: { poolRunner?: PoolRunnerInitializer } } }): void {
      const pool = project.config.poolRunner;
      if (!pool) throw new Error("fetch-single-modules: no pool is set: list the plugin after the one that sets it.");
      const createPoolWorker = (options: PoolOptions) => answerNoWarmModules(pool.createPoolWorker(options));
      project.config.poolRunner = { name: pool.name, createPoolWorker };
    },
  };
}
