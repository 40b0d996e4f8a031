// Fills the stores' doubles with a profile that has a large library and a large memory. The objects equal those that writing ten
// thousand skills one by one would leave, but are stored directly.
import type { Bucket, KeyValue } from "../../../core/ports.ts";
import { hashFiles, textOfFiles } from "../../../core/schemas/learning/digest.ts";
import { toBytes } from "../../../core/schemas/file-body.ts";
import type { MemoryStoreName } from "../../../core/schemas/memory.ts";
import { memoryId } from "../../../core/schemas/memory.ts";
import { type IndexLine, SkillHead, toHeadMirror, toIndexLine } from "../../../core/schemas/skill.ts";
import { keyOf } from "../../../stores/keys.ts";

export const LARGE_SKILLS = 10_000;
export const LARGE_FACTS = 5_000;

export function largeSkillName(n: number): string {
  return `skill-${String(n).padStart(5, "0")}`;
}

/** A word from a vocabulary of ten thousand, spelt so that stemming finds no ending. */
function createWord(n: number): string {
  return [...String(n % 10_007)].map((digit) => "bakofurimo"[Number(digit)]! + "zu").join("");
}

/** Every skill has a different text, and no two are near-duplicates. */
export async function fillLibrary(
  bucket: Bucket,
  profile: string,
  { skills = LARGE_SKILLS, at = 0, withIndex = true } = {},
): Promise<SkillHead[]> {
  const lines: Record<string, IndexLine> = {};
  const heads: SkillHead[] = [];
  for (let n = 0; n < skills; n++) {
    const name = largeSkillName(n);
    const description = `How ${createWord(n)} of the kind ${createWord(n % 97)} is ${createWord(n * 7)} with ${createWord(n * 13)} and care.`;
    const files = { "SKILL.md": `---\nname: ${name}\ndescription: ${description}\n---\n# Task ${n}\n` };
    const hashed = hashFiles(files);
    const head = SkillHead.parse({
      ...{ v: 1, name, seq: 1, rev: 1, text: textOfFiles(hashed), description, category: "general", state: "active" },
      ...{ pinned: false, origin: "review", files: hashed, citations: [], op: `make ${name}` },
      ...{ createdAt: at, revisedAt: at, updatedAt: at },
    });
    heads.push(head);
    lines[name] = toIndexLine(head);
    await bucket.put(keyOf("head", { profile, name }), JSON.stringify(head), { customMetadata: toHeadMirror(head) });
    await bucket.put(keyOf("blob", { profile, sha256: hashed["SKILL.md"]!.sha256 }), toBytes(files["SKILL.md"]));
  }
  if (withIndex) await bucket.put(keyOf("index", { profile }), JSON.stringify({ v: 1, seq: skills, skills: lines }));
  return heads;
}

/** The facts are too long for their keys' metadata, so that a list does not return them. */
export async function fillMemory(
  kv: KeyValue,
  profile: string,
  store: MemoryStoreName,
  facts = LARGE_FACTS,
): Promise<void> {
  for (let n = 0; n < facts; n++) {
    const text = `Fact ${n}: ${"the long story of it. ".repeat(45)}`.trim();
    const key = keyOf("memoryAdd", { profile, store, hash: memoryId(text), op: `op-${n}` });
    await kv.put(key, JSON.stringify({ v: 1, text, at: n, origin: "user", source: "principal" }));
  }
}
