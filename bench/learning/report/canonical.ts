// A profile's stored state without ids and times: skills with their states and texts, evidence by session and turn, and facts.
// Two runs that learned the same have equal canonical states. Pure.
import { Evidence, SkillHead } from "../../../core/schemas/skill.ts";
import { MemoryAdd } from "../../../core/schemas/memory.ts";
import type { StoredObjects } from "../run/ours.ts";

/** One line per stored thing, sorted. `placeOf` returns a session's position in the stream. */
export function toCanonical(stored: StoredObjects, placeOf: (session: string) => number): string[] {
  const lines: string[] = [];
  for (const { key, text } of stored.objects) {
    if (key.includes("/heads/")) lines.push(describeHead(SkillHead.parse(JSON.parse(text)), placeOf));
    if (key.includes("/evidence/")) lines.push(describeEvidence(text, placeOf));
    if (key.includes("/blobs/")) lines.push(`blob ${key.split("/").at(-1)}`);
  }
  const gone = new Set(
    stored.facts.flatMap(({ key }) => (/\/-[^/]*$/.test(key) ? [key.replace(/\/-([^/]*)$/, "/+$1")] : [])),
  );
  for (const { key, value } of stored.facts) {
    if (!/\/\+[^/]*$/.test(key) || gone.has(key)) continue;
    const { text, origin } = MemoryAdd.parse(JSON.parse(value));
    lines.push(`fact ${key.split("/")[2]} ${origin}: ${text}`);
  }
  return lines.sort();
}

function describeHead(head: SkillHead, placeOf: (session: string) => number): string {
  const { name, rev, text, state, origin, pinned, extends: base = "-", withdrawn = [], reason = "-", citations } = head;
  const cited = citations.map((citation) => `${placeOf(citation.slice(0, 26))}${citation.slice(26)}`);
  return `skill ${name} rev ${rev} ${state} ${origin} ${pinned} ${base} ${text} ${withdrawn.join(",")} ${cited.join(",")} ${reason}`;
}

function describeEvidence(body: string, placeOf: (session: string) => number): string {
  const evidence = Evidence.parse(JSON.parse(body));
  const {
    skill,
    text: read,
    turn,
    judge,
    nth,
    outcome,
    task,
    contradicted,
    toolCalls,
    failedCalls,
    baseline,
  } = evidence;
  const [session = "", n = ""] = turn.split("-");
  const calls = `${toolCalls}/${failedCalls}`;
  return `evidence ${skill} ${read} ${placeOf(session)}-${n} ${judge}.${nth} ${outcome} ${task} ${contradicted} ${calls} ${JSON.stringify(baseline)}`;
}
