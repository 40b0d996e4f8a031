// Which tools a prompt's session has. Those that reach beyond the session, or ask a person who is not there, are always absent. With chances each
// toolset is drawn by itself, and at least one is taken (Hermes Agent). The same seed and prompt give the same tools. Pure.
import type { ToolSettings } from "../../core/schemas/profile/tools.ts";
import { sha256Hex } from "../../core/schemas/learning/digest.ts";
import { mulberry32 } from "../seeded.ts";

const ABSENT = ["asking", "memory", "recall", "board", "jobs", "delegation"];

export function chooseTools(
  chances: Record<string, number> | null,
  seed: number,
  hash: string,
): { tools: ToolSettings; toolsets: string[] } {
  if (!chances) return { tools: { disabled: ABSENT }, toolsets: [] };
  const random = mulberry32(parseInt(sha256Hex(`${seed} ${hash}`).slice(0, 8), 16));
  const names = Object.keys(chances).toSorted();
  const drawn = names.filter((name) => random() < chances[name]!);
  const toolsets = drawn.length > 0 ? drawn : [pickByChance(names, chances, random())];
  return { tools: { only: toolsets, disabled: ABSENT.filter((name) => !toolsets.includes(name)) }, toolsets };
}

/** `at`: 0 to below 1. */
function pickByChance(names: string[], chances: Record<string, number>, at: number): string {
  const total = names.reduce((sum, name) => sum + chances[name]!, 0);
  let left = at * total;
  return names.find((name) => (left -= chances[name]!) < 0) ?? names[0]!;
}
