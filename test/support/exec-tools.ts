// The tools of a session on a real machine, over the real process of an exec host.
import type { Tool, ToolContext } from "../../core/agent/contract.ts";
import { DEFAULTS } from "../../core/limits.ts";
import { createOutbound } from "../../core/outbound/outbound.ts";
import { createExecClient } from "../../core/tools/host/exec-client.ts";
import type { ExecHost } from "../../core/tools/host/exec-host.ts";
import { createHostTools } from "../../core/tools/host/host-tools.ts";
import { systemClock } from "../../stores/platform/system-clock.ts";
import { EXEC_TOKEN } from "./exec-host.ts";

export function createRealClient(url: string, token = EXEC_TOKEN): ExecHost {
  const policy = { ports: [], allow: [], configured: [url] };
  return createExecClient({ baseUrl: url, token, outbound: createOutbound({ fetch, clock: systemClock, policy }) });
}

let calls = 0;

/** Calls tools as the loop does, with a new op for each call unless one is given. */
export function createToolBench(exec: ExecHost, session = "S") {
  const readSpilled = {
    run: async () => ({ failed: false, parts: [{ source: "content", text: '{"spilled":true}' }] }),
  };
  const options = {
    exec,
    clock: systemClock,
    settings: DEFAULTS,
    session,
    readSpilled: readSpilled as unknown as Tool,
  };
  const tools = new Map(createHostTools(options).map((tool) => [tool.name, tool]));
  return {
    tools,
    nextOp: () => `${session}-1:${++calls}`,
    /** The merged result, whether it failed, and the sources of its fields. */
    async call(name: string, args: object, context: Partial<ToolContext> = {}) {
      const tool = tools.get(name)!;
      const parsed = tool.parameters.parse(args);
      const signal = new AbortController().signal;
      const result = await tool.run(parsed, { op: `${session}-1:${++calls}`, prepared: {}, signal, ...context });
      const parts = result.parts.map(({ source, text }) => [source, JSON.parse(text)] as const);
      return {
        failed: result.failed,
        result: Object.assign({}, ...parts.map(([, value]) => value)),
        sources: Object.fromEntries(parts.map(([source, value]) => [source, Object.keys(value)])),
      };
    },
  };
}
