// How a check-up ended, in words. Pure.
import type { Answer } from "../data/api.ts";

export type CheckLine = Answer<"POST /v1/doctor">["lines"][number];

/** "2 fail, 1 needs attention, 9 work" */
export function countLines(lines: CheckLine[]): string {
  const count = (wanted: CheckLine["state"]) => lines.filter(({ state }) => state === wanted).length;
  const [fail, warn, ok] = [count("fail"), count("warn"), count("ok")];
  const parts = [
    fail > 0 && `${fail} ${fail === 1 ? "fails" : "fail"}`,
    warn > 0 && `${warn} ${warn === 1 ? "needs" : "need"} attention`,
    ok > 0 && `${ok} ${ok === 1 ? "works" : "work"}`,
  ];
  return parts.filter(Boolean).join(", ");
}
