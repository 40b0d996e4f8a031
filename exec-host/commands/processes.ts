// Finds and ends the processes of a command, also those that left its process group by setsid or a double fork. They are found in
// /proc by the session, by the parent, and by a variable that they inherited. What escapes: a process that cleared its environment
// and has lost its parent, and one that another program started for the command (sudo, systemd, docker, cron).
import { readFileSync, readdirSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";

/** `<name>=<value>`, or its beginning: `value` ends in a dot to mean all commands of one host. */
export interface Mark {
  name: string;
  value: string;
}

const ROUNDS = 60;
const ROUND_MS = 10;
/** One round can miss a process: one that forks while /proc is read, and one without an environment because exec just replaced it. */
const EMPTY_ROUNDS = 3;

/** A process by pid and start time: pids are reused. */
export interface Found {
  pid: number;
  startedAt: string;
}

/** Sends SIGKILL until none is left. `known`: processes that were found earlier. Returns how many were found. */
export async function killAll(mark: Mark, leader: number | null, known: Found[] = []): Promise<number> {
  const killed = new Set<number>();
  for (let round = 0, empty = 0; round < ROUNDS; round++) {
    const found = killOnce(mark, leader, known);
    empty = found.length === 0 ? empty + 1 : 0;
    if (empty === EMPTY_ROUNDS) break;
    for (const { pid } of found) killed.add(pid);
    await pause(ROUND_MS);
  }
  return killed.size;
}

/** One round, without waiting: for the last moment of a process. */
export function killOnce(mark: Mark, leader: number | null, known: Found[] = []): Found[] {
  const found = findProcesses(mark, leader, known);
  for (const { pid } of found) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // it has ended since it was found
    }
  }
  return found;
}

/** SIGTERM to the group of a leader that may have ended. */
export function askToEnd(leader: number): void {
  try {
    process.kill(-leader, "SIGTERM");
  } catch {
    // the group has ended
  }
}

/** Live processes only: a zombie without threads holds nothing. */
export function findProcesses(mark: Mark, leader: number | null, known: Found[] = []): Found[] {
  const stats = readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? readStat(Number(name)) : []));
  const members = new Set<number>();
  for (const stat of stats) {
    const isOfLeader = leader !== null && (stat.session === leader || stat.group === leader);
    const isKnown = known.some(({ pid, startedAt }) => pid === stat.pid && startedAt === stat.startedAt);
    if (isOfLeader || isKnown || hasMark(stat.pid, mark)) members.add(stat.pid);
  }
  // Children of members, in any order, until nothing is added.
  for (let before = -1; before !== members.size;) {
    before = members.size;
    for (const { pid, parent } of stats) if (members.has(parent)) members.add(pid);
  }
  members.delete(process.pid);
  return stats.filter(({ pid }) => members.has(pid)).map(({ pid, startedAt }) => ({ pid, startedAt }));
}

interface ProcStat extends Found {
  parent: number;
  group: number;
  session: number;
}

function readStat(pid: number): ProcStat[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name in parentheses may hold any character, so fields are counted from its end: state 3, start time 22.
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    const [state, parent, group, session] = fields;
    // A process whose first thread has ended is a zombie to /proc, while its other threads run: field 20 counts them.
    if (state === "X" || (state === "Z" && Number(fields[17]) <= 1)) return [];
    return [
      { pid, startedAt: fields[19] ?? "", parent: Number(parent), group: Number(group), session: Number(session) },
    ];
  } catch {
    return []; // it has just ended
  }
}

function hasMark(pid: number, { name, value }: Mark): boolean {
  try {
    const environ = readEnviron(pid);
    const wanted = `${name}=${value}`;
    return environ.startsWith(wanted) || environ.includes(`\0${wanted}`);
  } catch {
    return false; // another user's process, or it has just ended
  }
}

/** A process whose first thread has ended shows its environment only through another thread. */
function readEnviron(pid: number): string {
  const text = readFileSync(`/proc/${pid}/environ`, "latin1");
  if (text !== "") return text;
  const other = readdirSync(`/proc/${pid}/task`).find((task) => Number(task) !== pid);
  return other === undefined ? "" : readFileSync(`/proc/${pid}/task/${other}/environ`, "latin1");
}
