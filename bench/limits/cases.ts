// The cases of bench:limits: every tool on the largest input that it accepts, the shell's commands, and parallel calls.
import type { Tool } from "../../core/agent/contract.ts";
import { MAX_ATTACHMENT_BYTES } from "../../core/board/attach.ts";
import { answerCall, toBoardCalls } from "../../core/board/board-calls.ts";
import { BOARD_SCHEMA, createBoard } from "../../core/board/board.ts";
import { DEFAULTS } from "../../core/limits.ts";
import type { Sql } from "../../core/ports.ts";
import { createLibrary } from "../../core/skills/library.ts";
import type { BoardDesk } from "../../core/tools/board/board.ts";
import { createTools } from "../../core/tools/index.ts";
import { createWorkspace } from "../../core/workspace/workspace.ts";
import { createMemoryStore } from "../../stores/memory-store.ts";
import { createSkillStore } from "../../stores/skills/skill-store.ts";
import { createMemoryBucket } from "../../test/support/bindings/memory-bucket.ts";
import { createMemoryKv } from "../../test/support/bindings/memory-kv.ts";
import { newProfileId } from "../../test/support/skills/profile-ids.ts";
import { runChecks } from "../../test/support/quickjs.ts";
import { createSeededRandom } from "../../test/support/seeded-random.ts";
import type { CaseResult } from "./case-result.ts";
import { COMMANDS } from "./commands.ts";
import type { FixtureName } from "./fixtures.ts";
import { openJobs } from "./jobs.ts";

export interface Case {
  name: string;
  fixture: FixtureName;
  run(sql: Sql): Promise<Omit<CaseResult, "ms">>;
}

interface Call {
  tool: string;
  args: Record<string, unknown>;
}

const SKILL = `---
name: reading-logs
description: Reads logs. Use when one is given.
metadata:
  category: ops
---

# Reading logs

## When to use

A log is given.

## Steps

1. Read it.
2. LONG

## Pitfalls

None.

## Verify

It was read.
`;
const create = (content: string): Call => ({
  tool: "skill_manage",
  args: { action: "create", name: "reading-logs", content },
});
const file = (path: string, file_content: string): Call => ({
  tool: "skill_manage",
  args: { action: "write_file", name: "reading-logs", file_path: path, file_content },
});
const setJob = (n: number): Call => ({
  tool: "cronjob",
  args: { action: "create", name: `job-${n}`, schedule: "every day at 8 Berlin", prompt: "語".repeat(20_000) },
});
/** Uses all the memory that QuickJS is allowed. */
const GREEDY = `const a = []; for (;;) a.push("x".repeat(1e5) + a.length); // check: prints nothing`;
const MEGABYTE = "a line of a long support file\n".repeat(33_000);

/**
 * Per case: its name, a text that each answer of the last call must contain (null: the call must be refused), the fixture, the
 * calls in order, and how many times the last call is made in parallel.
 */
const TOOLS: [string, string | null, FixtureName, Call[], number?][] = [
  [
    "read_file, ordinary lines",
    String.raw`0,name 0,0.5,2026-01-1\n1,name 1,37.5,2026-01-2\n`,
    "lines",
    [{ tool: "read_file", args: { path: "big" } }],
  ],
  [
    "read_file, the end",
    String.raw`"content":"325999,name 977,963.5,2026-01-24\n`,
    "lines",
    [{ tool: "read_file", args: { path: "big", offset: 326_000 } }],
  ],
  [
    "read_file, lines of one character",
    String.raw`"content":"0\n1\n2\n3\n4\n"`,
    "short",
    [{ tool: "read_file", args: { path: "big", limit: 5 } }],
  ],
  [
    "read_file, one line",
    String.raw`"content":"日本語0🙂日本語1🙂`,
    "utf8one",
    [{ tool: "read_file", args: { path: "big" } }],
  ],
  ["read_file, not text", null, "binary", [{ tool: "read_file", args: { path: "big" } }]],
  [
    "read_file, eight at once",
    String.raw`"content":"строка 0 日本語 🙂 ü\nстрока 1 `,
    "utf8",
    [{ tool: "read_file", args: { path: "big" } }],
    8,
  ],
  [
    "write_file, the largest",
    String.raw`"bytes":10485760`,
    "empty",
    [{ tool: "write_file", args: { path: "f", content: "x".repeat(10 << 20) } }],
  ],
  [
    "write_file, multi-byte",
    String.raw`"bytes":10200000`,
    "empty",
    [{ tool: "write_file", args: { path: "f", content: "語".repeat(3_400_000) } }],
  ],
  [
    "write_file, eight at once",
    String.raw`"bytes":5242880`,
    "empty",
    [{ tool: "write_file", args: { path: "f", content: "x".repeat(5 << 20) } }],
    8,
  ],
  [
    "search_files, files of 2 MB",
    String.raw`77777 some words`,
    "searched",
    [{ tool: "search_files", args: { pattern: "7{5} some" } }],
  ],
  [
    "search_files, eight at once",
    String.raw`77777 some words`,
    "searched",
    [{ tool: "search_files", args: { pattern: "7{5} some" } }],
    8,
  ],
  [
    "search_files, every line",
    String.raw`"matches":200,"truncated":true,"lines":["d/0.txt:1:0 0 some words",`,
    "searched",
    [{ tool: "search_files", args: { pattern: "." } }],
  ],
  [
    "search_files, many files",
    String.raw`file-7770.txt:1:line 7770`,
    "many",
    [{ tool: "search_files", args: { pattern: "line 777" } }],
  ],
  [
    "search_files, names",
    String.raw`"d0/file-7700.txt"`,
    "many",
    [{ tool: "search_files", args: { pattern: "77", mode: "names", glob: "**/*.txt" } }],
  ],
  [
    "search_files, a larger file",
    String.raw`"too_large_to_search":["big"]`,
    "lines",
    [{ tool: "search_files", args: { pattern: "name" } }],
  ],
  [
    "terminal, eight at once",
    String.raw`"stdout":"326477,`,
    "lines",
    [{ tool: "terminal", args: { command: "tail -n 1 big; wc -l big" } }],
    8,
  ],
  [
    "skill_manage, the longest SKILL.md",
    String.raw`"done":"created"`,
    "empty",
    [create(SKILL.replace("LONG", "Go on. ".repeat(14_000)))],
  ],
  [
    "skill_manage and skill_view, the largest files",
    String.raw`"path":"references/3.md"`,
    "empty",
    [
      create(SKILL),
      ...Array.from({ length: 10 }, (_, i) => file(`references/${i}.md`, MEGABYTE)),
      { tool: "skill_view", args: { name: "reading-logs", path: "references/3.md" } },
    ],
  ],
  [
    "skill_manage, a greedy check",
    String.raw`"done":"file written"`,
    "empty",
    [create(SKILL), file("checks/greedy.json", "{}"), file("scripts/greedy.js", GREEDY)],
  ],
  ["skills_list", String.raw`"count":1,`, "empty", [create(SKILL), { tool: "skills_list", args: {} }]],
  [
    "memory",
    String.raw`"done":"added"`,
    "empty",
    [{ tool: "memory", args: { action: "add", store: "memory", content: "語".repeat(1_000) } }],
  ],
  [
    "cronjob, the longest task and schedule",
    String.raw`"schedule":"every day at 08:00"`,
    "empty",
    [
      {
        tool: "cronjob",
        args: {
          ...{ action: "create", name: "brief", prompt: "語".repeat(20_000), skills: Array(20).fill("reading-logs") },
          ...{ schedule: `every day at ${Array(40).fill("8").join(" and ")} Berlin`.slice(0, 200) },
        },
      },
    ],
  ],
  [
    "cronjob, fifty jobs",
    String.raw`"more":true`,
    "empty",
    [...Array.from({ length: 51 }, (_, n) => setJob(n)), { tool: "cronjob", args: { action: "list" } }],
  ],
  [
    "todo",
    String.raw`"pending":50,`,
    "empty",
    [
      {
        tool: "todo",
        args: {
          todos: Array.from({ length: 50 }, (_, i) => ({ id: `${i}`, content: "x".repeat(200), status: "pending" })),
        },
      },
    ],
  ],
  [
    "board, a card with the longest texts",
    String.raw`"status":"ready"`,
    "empty",
    [
      { tool: "board", args: { action: "update", body: "x".repeat(64_000) } },
      ...Array.from({ length: 30 }, () => ({
        tool: "board",
        args: { action: "comment", text: "語".repeat(16_000) },
      })),
      { tool: "board", args: { action: "show" } },
    ],
  ],
  [
    "board, the largest file",
    String.raw`"bytes":10485740`,
    "lines",
    [
      { tool: "board", args: { action: "attach", path: "big" } },
      { tool: "board", args: { action: "read-attachment", name: "big", path: "copy" } },
    ],
  ],
];

export const CASES: Case[] = [
  { name: "board: the largest attachment, put and read", fixture: "empty", run: moveAttachment },
  ...TOOLS.map(([name, part, fixture, calls, atOnce = 1]) => ({
    name: `tool: ${name}`,
    fixture,
    run: (sql: Sql) => runCalls(sql, calls, atOnce, (answer) => part !== null && JSON.stringify(answer).includes(part)),
  })),
  ...COMMANDS.map(([fixture, command, expected]) => ({
    name: `${fixture}: ${command}`,
    fixture,
    run: (sql: Sql) =>
      runCalls(
        sql,
        [{ tool: "terminal", args: { command, timeout_ms: 30_000 } }],
        1,
        ({ stdout }) => stdout === expected,
      ),
  })),
];

async function runCalls(
  sql: Sql,
  calls: Call[],
  atOnce: number,
  isRight: (answer: Record<string, unknown>) => boolean,
): Promise<Omit<CaseResult, "ms">> {
  const tools = makeTools(sql);
  let answers: Record<string, unknown>[] = [];
  for (const [i, call] of calls.entries()) {
    const times = i === calls.length - 1 ? atOnce : 1;
    answers = await Promise.all(Array.from({ length: times }, (_, n) => runCall(tools, call, `op-${i}-${n}`)));
  }
  const refused = answers.find(({ code }) => typeof code === "string");
  const said = answers
    .map((answer) => JSON.stringify(answer).slice(0, 300))
    .join(" ")
    .slice(0, 400);
  if (refused) return { outcome: "refused", code: String(refused.code), said };
  return { outcome: answers.every(isRight) ? "done" : "wrong", code: null, said };
}

async function runCall(tools: Tool[], { tool, args }: Call, op: string): Promise<Record<string, unknown>> {
  const found = tools.find(({ name }) => name === tool);
  if (!found) throw new Error(`unknown tool '${tool}'`);
  const parsed: unknown = found.parameters.parse(args);
  const prepared = (await found.prepare?.(parsed)) ?? {};
  const { parts } = await found.run(parsed, { op, prepared, signal: new AbortController().signal });
  return Object.assign({}, ...parts.map((part) => JSON.parse(part.text))) as Record<string, unknown>;
}

function makeTools(sql: Sql): Tool[] {
  const clock = {
    now: () => Date.now(),
    sleep: (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms)),
  };
  const profile = newProfileId();
  const { maxFileBytes, maxWorkspaceBytes: maxBytes } = DEFAULTS.turn;
  const random = createSeededRandom(1);
  const store = createSkillStore({ bucket: createMemoryBucket({ clock }), profile, clock, random, swapMs: 10_000 });
  const todos: { items: [] } = { items: [] };
  return createTools({
    workspace: createWorkspace({ sql, clock, maxFileBytes, maxBytes }),
    library: createLibrary({ store, seeds: {}, scene: { fingerprints: () => ({}) } }),
    skills: store,
    runChecks,
    board: makeBoard(sql),
    todos: { items: () => todos.items, put: (items) => void Object.assign(todos, { items }), labelOf: () => "own" },
    memory: createMemoryStore({ kv: createMemoryKv({ clock }), profile, clock, overlayMs: DEFAULTS.memory.overlayMs }),
    cronjob: {
      ...{ jobs: openJobs(sql, clock), session: "01J00000000000000000000000", chat: () => null },
      ...{ isOwners: () => true, isTainted: () => false },
    },
    origin: "foreground",
    session: "01J00000000000000000000000",
    clock,
    settings: DEFAULTS,
  });
}

/** As its object does: the bytes of a call come and go as copies. */
async function moveAttachment(sql: Sql): Promise<Omit<CaseResult, "ms">> {
  const { open, place } = makeBoard(sql);
  const [board, card] = [open("main"), place!.card];
  const file = { name: "a", mediaType: "text/plain", bytes: new Uint8Array(MAX_ATTACHMENT_BYTES) };
  await board.attach({ author: { by: "owner" } }, card, structuredClone(file));
  const read = structuredClone(await board.readAttachment(card, "a"));
  const isWhole = read.ok && read.value.bytes.length === MAX_ATTACHMENT_BYTES;
  return { outcome: isWhole ? "done" : "wrong", code: null, said: "" };
}

/** With one card, which the session is to work on. */
function makeBoard(sql: Sql): BoardDesk {
  for (const query of BOARD_SCHEMA) sql.run(query);
  const board = createBoard({
    ...{ sql, clock: { now: () => Date.now() }, random: createSeededRandom(1), limits: DEFAULTS.board },
  });
  const made = board.create({ author: { by: "owner" } }, { title: "A card" });
  if (!made.ok) throw new Error(made.failure.message);
  const calls = toBoardCalls({ call: async (method, args) => answerCall(board, method, args) });
  return {
    ...{
      open: () => calls,
      author: { by: "agent", session: "01J00000000000000000000000" },
      names: ["main"],
      isAllowed: () => true,
    },
    place: { board: "main", card: made.value.card.id },
  };
}
