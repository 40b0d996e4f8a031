// Writes a profile as a folder that Claude Code reads: skills that every validator accepts, and a CLAUDE.md with the personality and the
// facts. Pure.
import type { FileBody } from "../../schemas/file-body.ts";
import { makeStrictCopy } from "../../skills/exchange/strict.ts";
import type { OwnProfile, WrittenHome } from "./own-profile.ts";
import { CLAUDE_BEGIN, CLAUDE_END, CLAUDE_PARTS } from "./read-claude.ts";

/** [own] Claude Code reads all of it in every session, and warns of more. */
const MAX_CHARS = 40_000;

export function writeClaude({ skills, facts, personality, jobs }: OwnProfile): WrittenHome {
  const files = new Map<string, FileBody>();
  const home: WrittenHome = { files, names: { skills: [], memory: [], personality: [], jobs: [] }, notes: [] };
  const { names, notes } = home;
  for (const { head, files: own } of skills) {
    const what = `skill ${head.name}`;
    if (head.state === "pending" || head.state === "archived") {
      notes.push({
        kind: "left_out",
        what,
        why: head.state === "pending" ? "it waits for your approval" : "it is archived",
      });
      continue;
    }
    const copy = makeStrictCopy(head.name, own);
    if (!copy.ok) {
      notes.push({ kind: "refused", what, why: copy.failure.message.replace(/\.$/, "") });
      continue;
    }
    for (const warning of copy.value.warnings) notes.push({ kind: "changed", what, why: warning.replace(/\.$/, "") });
    for (const [path, body] of Object.entries(copy.value.files)) files.set(`skills/${head.name}/${path}`, body);
    names.skills.push(head.name);
  }
  const parts = Object.entries(CLAUDE_PARTS).flatMap(([store, heading]) => {
    const own = facts.filter((fact) => fact.store === store).map(({ text }) => text);
    const shown = own.filter((text) => !/<!--|-->/.test(text) && !text.includes(CLAUDE_PARTS.memory));
    if (own.length > shown.length) {
      const why = "their text would be read as a mark of the file";
      notes.push({ kind: "refused", what: `${own.length - shown.length} facts`, why });
    }
    names.memory.push(...shown);
    return shown.length > 0 ? [`${heading}\n\n${shown.map((text) => `- ${text}\n`).join("")}`] : [];
  });
  const block = parts.length > 0 ? [`${CLAUDE_BEGIN}\n\n${parts.join("\n")}\n${CLAUDE_END}\n`] : [];
  const text = [...(personality ? [`${personality.text}\n`] : []), ...block].join("\n");
  if (personality) names.personality.push(personality.name);
  if (text !== "") files.set("CLAUDE.md", text);
  if (text.length > MAX_CHARS) {
    const why = `it has ${text.length} characters, which Claude Code reads in every session`;
    notes.push({ kind: "changed", what: "CLAUDE.md", why, how: "shorten it there" });
  }
  if (jobs.length > 0) {
    const why = "Claude Code has no jobs by the clock";
    notes.push({ kind: "no_equal", what: `${jobs.length} jobs`, why });
  }
  notes.push({
    kind: "no_equal",
    what: "conversations",
    why: "the form of Claude Code's transcripts is not documented",
  });
  return home;
}
