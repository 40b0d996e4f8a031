// Measures the resident memory of the workerd process while many sessions stream answers at the same time. Linux only: on other
// systems the figure is null.
import { readFileSync } from "node:fs";
import { PLAIN_ORDER } from "../support/orders.ts";
import type { Talaria } from "../support/subjects/talaria.ts";

/** Each answer lasts ten seconds, so that all sessions are active at once, each with a turn and a reader. */
const ANSWER = { ...PLAIN_ORDER, chunks: 50, gapMs: 200 };
const SAMPLE_MS = 250;
const MIB = 1 << 20;

/** The highest sample, in MiB; `null` if the process cannot be inspected. */
export async function measureMemory(talaria: Talaria, sessions: number): Promise<number | null> {
  const pid = findWorkerd();
  if (pid === null) return null;
  const conversations = [];
  for (let n = 0; n < sessions; n++) conversations.push(await talaria.open());
  let highest = 0;
  const timer = setInterval(() => (highest = Math.max(highest, residentBytes(pid))), SAMPLE_MS);
  try {
    await Promise.all(conversations.map((conversation, n) => conversation.turn({ ...ANSWER, run: `m${n}` })));
  } finally {
    clearInterval(timer);
  }
  return Math.round(highest / MIB);
}

/** The process id of the child that Miniflare started. */
function findWorkerd(): number | null {
  try {
    const children = readFileSync(`/proc/self/task/${process.pid}/children`, "utf8").trim().split(/\s+/);
    const pid = children.find((child) => readFileSync(`/proc/${child}/comm`, "utf8").startsWith("workerd"));
    return pid === undefined ? null : Number(pid);
  } catch {
    return null; // no /proc on this system
  }
}

function residentBytes(pid: number): number {
  const kib = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return Number(kib ?? 0) * 1024;
}
