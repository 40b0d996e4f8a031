// The documents match the code: what a crash means for each tool, where decisions and defences are.
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import type { JobPort } from "../../core/commands/jobs/job-port.ts";
import { err, ok } from "../../core/errors.ts";
import { DEFAULTS } from "../../core/limits.ts";
import type { MessageIndex, SessionList } from "../../core/ports.ts";
import { createLibrary } from "../../core/skills/library.ts";
import type { BoardCalls } from "../../core/board/board-calls.ts";
import type { Outbound } from "../../core/outbound/outbound.ts";
import { createTools } from "../../core/tools/index.ts";
import type { BrowserPort } from "../../core/tools/web/browser/browser-page.ts";
import type { SearchProvider } from "../../core/tools/web/search/provider.ts";
import { createWorkspace } from "../../core/workspace/workspace.ts";
import { createMemoryStore } from "../../stores/memory-store.ts";
import { createSkillStore } from "../../stores/skills/skill-store.ts";
import { createTestClock } from "../support/clock.ts";
import { createMemoryBucket } from "../support/bindings/memory-bucket.ts";
import { createMemoryKv } from "../support/bindings/memory-kv.ts";
import { createNodeSql } from "../support/bindings/node-sql.ts";
import { PROFILE, SESSION } from "../support/session/session-harness.ts";

const folder = resolve(import.meta.dirname, "../../docs");
const document = readFileSync(join(folder, "ARCHITECTURE.md"), "utf8");

describe("docs/ARCHITECTURE.md", () => {
  it("says of each tool of a session whether it runs again after a crash", () => {
    const clock = createTestClock();
    const skills = createSkillStore({
      ...{ bucket: createMemoryBucket({ clock }), profile: PROFILE, clock, random: () => 0.5, swapMs: 1 },
    });
    const tools = createTools({
      ...{ skills, library: createLibrary({ store: skills, seeds: {} }), clock, settings: DEFAULTS },
      workspace: createWorkspace({ sql: createNodeSql(), clock, maxFileBytes: 1, maxBytes: 1 }),
      memory: createMemoryStore({ kv: createMemoryKv({ clock }), profile: PROFILE, clock, overlayMs: 0 }),
      sandbox: { run: async () => ({ stdout: "", stopped: null }) },
      delegation: { maxTaskChars: 1, wait: () => null, ended: () => [], spill: () => err("", "") },
      todos: { items: () => [], put: () => {}, labelOf: () => "own" },
      cronjob: {
        ...{ jobs: {} as JobPort, session: SESSION },
        ...{ isOwners: () => true, chat: () => null, isTainted: () => false },
      },
      board: {
        open: () => ({}) as BoardCalls,
        author: { by: "agent", session: SESSION },
        names: [],
        isAllowed: () => true,
      },
      clarify: { ask: () => null, find: () => null },
      web: { outbound: {} as Outbound, search: { name: "brave" } as SearchProvider, browser: {} as BrowserPort },
      vision: { findImage: () => null, look: async () => ({ answer: ok({ text: "", model: "" }), spent: [] }) },
      imageMaker: { make: async () => err("image_failed", "") },
      recall: { index: {} as MessageIndex, sessions: {} as SessionList, outOfView: () => null },
      ...{ origin: "foreground", session: SESSION },
    });
    const rows = [...document.matchAll(/^\| `(read|keyed|unkeyed)` \|.*\| (.*) \|$/gm)];
    const told = rows.flatMap(([, effect, names]) =>
      [...names!.matchAll(/`(\w+)`/g)].map((name) => `${name[1]}: ${effect}`),
    );
    expect(told.sort()).toEqual(tools.map((tool) => `${tool.name}: ${tool.effect}`).sort());
  });
});

describe("the tree of docs/ARCHITECTURE.md", () => {
  it.each(["core", "workers"])("names every file at the root of %s/", (name) => {
    const [, tree = ""] = document.split("\n## The tree\n");
    const files = readdirSync(join(folder, "..", name)).filter((file) => file.endsWith(".ts"));
    expect(files.filter((file) => !tree.includes(file))).toEqual([]);
  });
});

describe("the folders in the tree of docs/ARCHITECTURE.md", () => {
  const [, tree = ""] = document.split("\n## The tree\n");
  const listFolders = (path: string) =>
    readdirSync(join(folder, "..", path), { withFileTypes: true }).filter((entry) => entry.isDirectory());

  it.each(["core", "core/session", "core/tools"])("are all those of %s/", (path) => {
    const missing = listFolders(path).filter(({ name }) => !new RegExp(`\\b${name}/`).test(tree));
    expect(missing.map(({ name }) => name)).toEqual([]);
  });
});

describe("docs/DECISIONS.md", () => {
  it("lists every decision", () => {
    const decisions = readFileSync(join(folder, "DECISIONS.md"), "utf8");
    const listed = [...decisions.matchAll(/\]\(decisions\/([^)]+\.md)\)/g)].map((match) => match[1]!);
    expect(listed).toEqual(readdirSync(join(folder, "decisions")).sort());
  });
});

describe("docs/THREAT-MODEL.md", () => {
  it("names for each vector a defence and the files it is in, which exist", () => {
    const threats = readFileSync(join(folder, "THREAT-MODEL.md"), "utf8");
    const [, table = ""] = threats.split("## Vectors and defences\n");
    const rows = [...table.split("\n## ")[0]!.matchAll(/^\| (?!vector|---)(.+) \| (.+) \| (.+) \|$/gm)];
    expect(rows.length).toBeGreaterThan(15);
    const found = rows.map(([, vector, , where]) => {
      const files = [...where!.matchAll(/`([^`]+)`/g)].map((match) => match[1]!);
      return { vector, missing: files.length === 0 ? ["no file"] : files.filter((file) => !isThere(file)) };
    });
    expect(found.filter(({ missing }) => missing.length > 0)).toEqual([]);
  });
});

function isThere(file: string): boolean {
  return existsSync(join(folder, "..", file));
}
