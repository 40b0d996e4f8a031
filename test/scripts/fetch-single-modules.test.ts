import { expect, it } from "vitest";
import type { PoolWorker, WorkerRequest } from "vitest/node";
import { answerNoWarmModules } from "../support/runners/fetch-single-modules.ts";

it("a runtime that asks for all modules in one message is told that there are none, and anything else is passed on", () => {
  let speak = (_message: unknown) => {};
  const sent: WorkerRequest[] = [];
  const heard: unknown[] = [];
  const worker = answerNoWarmModules({
    name: "fake",
    on: (event, callback) => void (event === "message" && (speak = callback)),
    off: () => {},
    send: (message) => void sent.push(message),
    deserialize: (data) => data,
    start: async () => {},
    stop: async () => {},
  } satisfies PoolWorker);
  worker.on("message", (message) => heard.push(message));
  worker.on("exit", () => heard.push("exit"));
  const other = { t: "q", i: "2", m: "fetch", a: ["/core/ids.ts"] };
  for (const message of [{ t: "q", i: "1", m: "fetchWarmModules", a: ["ssr", []] }, other]) speak(message);
  expect(sent).toEqual([{ t: "s", i: "1", r: null }]);
  expect(heard).toEqual([other]);
});
