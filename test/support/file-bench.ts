// A session's file tools over a new workspace, called as the agent loop calls them.
import { renderParts } from "../../core/agent/tool-result.ts";
import { DEFAULTS } from "../../core/limits.ts";
import type { Sql } from "../../core/ports.ts";
import type { Settings } from "../../core/schemas/settings.ts";
import { type Workspace, createWorkspace, migrateWorkspace } from "../../core/workspace/workspace.ts";
import { createFileTools } from "../../core/tools/files/files.ts";
import type { Alternatives } from "../../core/tools/shell/missing-commands.ts";
import { createTestClock } from "./clock.ts";

export interface FileBench {
  workspace: Workspace;
  put(path: string, content: string | Uint8Array): void;
  /** Returns what the model reads, and whether the call failed. The tool's schema parses the arguments. */
  call(tool: string, args: Record<string, unknown>, signal?: AbortSignal): Promise<CallOutcome>;
}
export interface CallOutcome {
  failed: boolean;
  result: Record<string, unknown>;
  /** The result's keys, by the source of their part. */
  sources: Record<string, string[]>;
}

export function createFileBench(
  sql: Sql,
  { alternatives, ...turn }: Partial<Settings["turn"]> & { alternatives?: Alternatives } = {},
): FileBench {
  migrateWorkspace(sql);
  const settings = { ...DEFAULTS, turn: { ...DEFAULTS.turn, ...turn } };
  const workspace = createWorkspace({
    sql,
    clock: createTestClock(),
    maxFileBytes: settings.turn.maxFileBytes,
    maxBytes: settings.turn.maxWorkspaceBytes,
  });
  const tools = new Map(
    createFileTools({ workspace, settings, ...(alternatives && { alternatives }) }).map((tool) => [tool.name, tool]),
  );
  return {
    workspace,
    put(path, content) {
      const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
      const stored = workspace.putAsPrincipal(path, bytes);
      if (!stored.ok) throw new Error(stored.failure.message);
    },
    async call(name, args, signal = new AbortController().signal) {
      const tool = tools.get(name);
      if (!tool) throw new Error(`no tool '${name}'`);
      const { failed, parts } = await tool.run(tool.parameters.parse(args), { op: "op", prepared: {}, signal });
      const sources = Object.fromEntries(parts.map((part) => [part.source, Object.keys(JSON.parse(part.text))]));
      return { failed, result: JSON.parse(renderParts(parts)), sources };
    },
  };
}

/** A table of `rows` records with semicolons, decimal commas and a quoted field: `id;"n;3";12,5`. */
export function toTable(rows: number): string {
  const lines = Array.from({ length: rows }, (_, i) => `${i};"n;${i % 7}";${(i * 37) % 1_000},5`);
  return `id;name;value\n${lines.join("\n")}\n`;
}
