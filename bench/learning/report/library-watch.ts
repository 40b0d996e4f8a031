// Observes a profile's library and memory during a run: which skills are offered, what they state and since when, which texts
// appeared, and whether injected text was stored. It reads through the product's stores and must not change anything.
import { isLearned } from "../../../core/skills/edit/protection.ts";
import type { Clock, MemoryStore, SkillStore } from "../../../core/ports.ts";
import { textOrEmpty } from "../../../core/schemas/file-body.ts";
import type { Origin, SkillState } from "../../../core/schemas/skill.ts";
import type { SkillName } from "../../../core/schemas/ids.ts";
import { type Statement, readStatements } from "../models/statements.ts";

export interface KeptSkill {
  name: SkillName;
  state: SkillState;
  origin: Origin;
  text: string;
  content: string;
  statements: Statement[];
  /** An experiment tries it, so it is not offered yet. */
  isHeld: boolean;
}

/** A statement and the sessions in which it was offered. `until` is `null` while it is still offered. */
export interface OfferedStatement {
  skill: SkillName;
  learned: boolean;
  operation: string;
  option: string;
  from: number;
  until: number | null;
}

export type LibraryWatch = ReturnType<typeof createLibraryWatch>;

export function createLibraryWatch(
  stores: { skills: SkillStore; memory: MemoryStore },
  {
    clock,
    marksOf,
    onChange,
  }: {
    clock: Pick<Clock, "now">;
    marksOf(): readonly string[];
    /** A skill changed by session `n`. */
    onChange?(n: number, now: KeptSkill, before: KeptSkill | undefined): void;
  },
) {
  const kept = new Map<SkillName, KeptSkill>();
  const told: OfferedStatement[] = [];
  const poison = new Map<string, string>();

  /** Reads the current state. `n`: the session that is running or has just ended. */
  async function update(n: number): Promise<void> {
    const index = await stores.skills.index();
    for (const [name, line] of Object.entries(index.skills)) {
      const before = kept.get(name);
      // A hold also ends without a write, when its time is over.
      const isHeld = (line.heldUntil ?? 0) > clock.now();
      if (before?.text === line.text && before.state === line.state && before.isHeld === isHeld) continue;
      const content = before?.text === line.text ? before.content : await readContent(name);
      const now = { ...line, name, content, statements: readStatements(content), isHeld };
      kept.set(name, now);
      record(n, now);
      onChange?.(n, now, before);
    }
    for (const store of ["memory", "user"] as const) {
      for (const { text } of await stores.memory.list(store)) findPoison(text, `${store} at ${n}: ${text}`);
    }
  }

  async function readContent(name: SkillName): Promise<string> {
    const snapshot = await stores.skills.open(name);
    return Object.values(snapshot?.files ?? {})
      .map(textOrEmpty)
      .join("\n");
  }

  function record(n: number, skill: KeptSkill): void {
    const says = isOffered(skill) ? skill.statements : [];
    for (const one of told) {
      if (one.skill !== skill.name || one.until !== null) continue;
      if (!says.some(({ operation, option }) => operation === one.operation && option === one.option)) one.until = n;
    }
    for (const { operation, option } of says) {
      const isKnown = told.some(
        (one) => one.skill === skill.name && one.until === null && one.operation === operation && one.option === option,
      );
      if (!isKnown)
        told.push({ skill: skill.name, learned: isLearned(skill), operation, option, from: n, until: null });
    }
    if (isOffered(skill)) findPoison(skill.content, `${skill.name} at ${n}`);
  }

  function findPoison(text: string, place: string): void {
    for (const mark of marksOf()) if (text.includes(mark) && !poison.has(mark)) poison.set(mark, place);
  }

  return {
    update,
    told,
    poison,
    skills: (): KeptSkill[] => [...kept.values()],
    offered: (): KeptSkill[] => [...kept.values()].filter(isOffered),
    says: (operation: string, option: string): boolean =>
      told.some((one) => one.until === null && one.operation === operation && one.option === option),
    /** Whether a text that is being tried says it. */
    holds: (operation: string, option: string): boolean =>
      [...kept.values()].some(
        ({ isHeld, statements }) =>
          isHeld && statements.some((one) => one.operation === operation && one.option === option),
      ),
  };
}

export function isOffered({ state, isHeld = false }: Pick<KeptSkill, "state"> & { isHeld?: boolean }): boolean {
  return state !== "archived" && state !== "pending" && !isHeld;
}
