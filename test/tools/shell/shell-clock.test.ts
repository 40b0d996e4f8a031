// Programs of the shell read the session's clock.
import { expect, test } from "vitest";
import { textOf } from "../../../core/schemas/entry.ts";
import { createScriptedSession } from "../../support/session/scripted-session.ts";

test.each([
  ["date", "Mon Jan  5 09:00:00 UTC 2026"],
  ["date +%s; date -u +%F", "1767603600\\n2026-01-05"],
  ["date -d yesterday +%F; date --date=tomorrow +%F; date -d now +%T", "2026-01-04\\n2026-01-06\\n09:00:00"],
  ["date -d 2020-02-29 +%j", "060"],
  ["touch a; ls -l a", "Jan  5"],
  ["touch -d 2020-01-01 b; ls -l b; date --help | head -1", "Jan  1  2020 b\\ndate - "],
  ["TZ=Europe/Rome date +%H:%M", "10:00"],
])("%s", async (command, shown) => {
  const script = [{ calls: [{ name: "terminal", args: { command } }] }, { text: "Done." }];
  const { say, entries } = await createScriptedSession(script);
  await say("Go.");
  const result = entries().find(({ kind }) => kind === "tool")!;
  expect(textOf(result)).toContain(shown);
});
