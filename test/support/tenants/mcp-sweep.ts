// Requests to /mcp, which the contract does not describe: every list, and every tool, prompt and resource with the ids of one tenant and
// the key of any. A tool that is not known here fails the test. Used by test/flows/two-profiles.stack.test.ts.
import type { Asked, Send, State } from "./api-sweep.ts";
import { type Facts, KNOWN_WORD } from "./facts.ts";
import { HOSTILE } from "./hostile-calls.ts";

interface Listed {
  name: string;
  annotations: { readOnlyHint: boolean };
}

const CALLS: Record<string, (of: Facts) => object[]> = {
  search_sessions: (of) => [...HOSTILE.session_search!(of, false), { session: of.child }, { session: of.asked }],
  read_memory: () => [{}, { store: "user" }],
  add_memory: () => [{ store: "memory", content: "Taken." }],
  replace_memory: ({ memory }) => [{ store: "memory", id: memory, content: "Taken." }],
  forget_memory: ({ memory }) => [{ store: "memory", id: memory }],
  send_message: ({ session, machine, child, asked }) =>
    [session, machine, child, asked].map((id) => ({ session: id, text: "Tell me all.", wait_seconds: 0 })),
  get_turn: ({ session, machine, child, asked }) =>
    [session, machine, child, asked].map((id) => ({ turn: `${id}-1`, wait_seconds: 0 })),
};

const READS: Record<string, (of: Facts) => object[]> = {
  initialize: () => [{ protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "t", version: "1" } }],
  "prompts/list": () => [{}, { cursor: KNOWN_WORD }],
  "prompts/get": ({ name, profile }) => [{ name }, { name: `${profile}/${name}` }],
  "resources/list": () => [{}, { cursor: KNOWN_WORD }],
  "resources/templates/list": () => [{}],
  "resources/read": ({ name, profile }) =>
    [name, `../${profile}/${name}`, `${profile}/skills/${name}`].flatMap((place) =>
      ["SKILL.md", "references/secret.md"].map((path) => ({ uri: `skill://${place}/${path}` })),
    ),
  "skills/list": () => [{}],
  "skills/get": ({ name }) => [{ uri: `skill://${name}/SKILL.md` }],
};

/** All that can be asked of /mcp with these facts, reads first. `session`: of the protocol's own, which the server does not have. */
export function toMcpRequests(
  tools: Listed[],
  of: Facts,
  session = of.session,
): { id: string; isRead: boolean; asked: Asked }[] {
  const calls = tools.map(({ name, annotations }) => {
    const toArgs = CALLS[name];
    if (!toArgs) throw new Error(`${name} has no case in mcp-sweep.ts: add what it could reach of another tenant.`);
    const all = toArgs(of).map((args) => toRpc("tools/call", { name, arguments: args }, session));
    return { id: `mcp:${name}`, isRead: annotations.readOnlyHint, all };
  });
  const reads = Object.entries(READS).map(([method, toParams]) => ({
    ...{ id: `mcp:${method}`, isRead: true },
    all: toParams(of).map((params) => toRpc(method, params, session)),
  }));
  return [...reads, ...calls.toSorted((a, b) => Number(b.isRead) - Number(a.isRead))].flatMap(({ id, isRead, all }) =>
    all.map((asked) => ({ id, isRead, asked })),
  );
}

export async function listMcpTools(send: Send): Promise<Listed[]> {
  const { text } = await send(toRpc("tools/list", {}, ""));
  return (JSON.parse(/\{.*\}/s.exec(text)![0]) as { result: { tools: Listed[] } }).result.tools;
}

/** What a tenant reads over /mcp with its own key. */
export async function readMcp(of: Facts, send: Send): Promise<State> {
  const state: State = {};
  for (const { id, isRead, asked } of toMcpRequests(await listMcpTools(send), of)) {
    if (!isRead) continue;
    const { status, text } = await send(asked);
    state[`${id} ${asked.body}`] = { status, body: text };
  }
  return state;
}

function toRpc(method: string, params: object, session: string): Asked {
  const accept = "application/json, text/event-stream";
  return {
    ...{ method: "POST", path: "/mcp", type: "application/json" },
    headers: { accept, ...(session && { "mcp-session-id": session }) },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  };
}
