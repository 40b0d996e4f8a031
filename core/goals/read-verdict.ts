// The verdict in the answer of a goal's judge. Pure; never throws. Anything but one well-formed JSON object with a verdict is `unparsed`.
import { readModelJson } from "../agent/model-json.ts";
import { clip, toOneLine } from "../clip.ts";
import type { GoalVerdict } from "../schemas/agenda/goal.ts";
import { isObject } from "../unknown-object.ts";

const MAX_REASON_CHARS = 400;
const DEFAULT_WAIT_SECONDS = 60;
const MAX_SECONDS = 86_400;

export function readVerdict(text: string): GoalVerdict {
  const unparsed: GoalVerdict = { kind: "unparsed", reason: "The judge's answer has no verdict." };
  const read = readModelJson(text);
  if (!isObject(read)) return unparsed;
  const { verdict, reason: why, seconds } = read;
  const reason = typeof why === "string" ? clip(toOneLine(why), MAX_REASON_CHARS) : "";
  switch (verdict) {
    case "done":
    case "blocked":
    case "continue":
      return { kind: verdict, reason };
    case "wait": {
      const asked =
        typeof seconds === "number" && Number.isFinite(seconds) ? Math.round(seconds) : DEFAULT_WAIT_SECONDS;
      return { kind: "wait", reason, seconds: Math.min(Math.max(asked, 1), MAX_SECONDS) };
    }
    default:
      return unparsed;
  }
}
