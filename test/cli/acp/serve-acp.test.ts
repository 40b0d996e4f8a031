// An editor, played by the protocol's official client, talks to the agent; Talaria's API is a double.
import * as acp from "@agentclientprotocol/sdk";
import { describe, expect, it } from "vitest";
import { createAcpAgent } from "../../../cli/acp/serve-acp.ts";
import { type Client, ProblemError } from "../../../cli/connection/client.ts";
import { type AgentEvent, type AskedQuestion, NO_STATS } from "../../../core/schemas/entry.ts";

const SESSION = "01ARZ3NDEKTSV4RRFFQ69G5FAV";
const END: AgentEvent = { type: "turn_end", turn: 1, entry: 9, state: "done", reason: "answer", stats: NO_STATS };
const QUESTION = {
  for: "approval",
  id: "a1",
  until: 0,
  summary: "Run `rm -r build`",
  reasons: ["It deletes files."],
  covers: "rm",
} satisfies AskedQuestion;
const PARK: AgentEvent = { type: "turn_park", turn: 1, entry: 4, question: QUESTION, text: "May it run?" };

interface Played {
  /** What the session streams; a function is awaited before the next event. */
  events?: (AgentEvent | (() => Promise<unknown>))[];
  answer?: acp.RequestPermissionOutcome;
  api?: Partial<Record<keyof Client, unknown>>;
}

async function play<T>(
  { events = [END], answer = { outcome: "cancelled" }, api = {} }: Played,
  act: (editor: acp.ClientContext) => Promise<T>,
) {
  const calls: unknown[][] = [];
  const updates: acp.SessionUpdate[] = [];
  const asked: acp.RequestPermissionRequest[] = [];
  const note =
    (name: string, value?: unknown) =>
    async (...args: unknown[]) => {
      calls.push([name, ...args]);
      return value;
    };
  const double = {
    createSession: note("createSession", { session: SESSION }),
    session: note("session", { session: SESSION, model: undefined }),
    models: note("models", [
      { name: "first", isDefault: true },
      { name: "second", isDefault: false },
    ]),
    changeSession: note("changeSession"),
    putFile: note("putFile"),
    stop: note("stop"),
    call: note("call"),
    recentSessions: note("recentSessions", [{ session: SESSION, title: "Bread", createdAt: 0 }]),
    async *streamMessage(session: string, text: string, { images }: { images: unknown[] }) {
      calls.push(["streamMessage", session, text, images]);
      for (const event of events) {
        if (typeof event === "function") await event();
        else yield { id: "1.0", event };
      }
    },
    ...api,
  };
  const agent = createAcpAgent({ client: double as unknown as Client, version: "1.2.3", cwd: "/work" });
  const editor = acp
    .client({ name: "test" })
    .onRequest(acp.methods.client.session.requestPermission, ({ params }) => {
      asked.push(params);
      return { outcome: answer };
    })
    .onNotification(acp.methods.client.session.update, ({ params }) => void updates.push(params.update));
  const connection = editor.connect(agent);
  try {
    const hello = await connection.agent.request(acp.methods.agent.initialize, {
      protocolVersion: acp.PROTOCOL_VERSION,
    });
    const result = await act(connection.agent);
    await new Promise((done) => setTimeout(done, 5));
    return { hello, result, calls, updates, asked };
  } finally {
    connection.close();
  }
}

const prompt = (editor: acp.ClientContext, blocks: acp.ContentBlock[] = [{ type: "text", text: "Bake." }]) =>
  editor.request(acp.methods.agent.session.prompt, { sessionId: SESSION, prompt: blocks });

describe("an editor", () => {
  it("learns what the agent can do, begins a session and is told its commands and models", async () => {
    const { hello, result, updates } = await play({}, (editor) =>
      editor.request(acp.methods.agent.session.new, { cwd: "/elsewhere", mcpServers: [] }),
    );
    expect(hello).toMatchObject({ agentInfo: { version: "1.2.3" }, agentCapabilities: { loadSession: true } });
    expect(result).toMatchObject({ sessionId: SESSION, configOptions: [{ id: "model", currentValue: "first" }] });
    const [commands] = updates.filter((update) => update.sessionUpdate === "available_commands_update");
    expect(commands!.availableCommands.map(({ name }) => name)).toContain("compress");
    expect(commands!.availableCommands.map(({ name }) => name)).not.toContain("help");
  });

  it("sees text, thoughts, calls with their results and notices, without control characters", async () => {
    const events: AgentEvent[] = [
      { type: "reasoning_delta", entry: 2, text: "Hm." },
      { type: "tool_start", entry: 3, name: "write_file", args: { path: "a.txt", content: "x" } },
      { type: "tool_end", entry: 3, name: "write_file", failed: true, result: "No \u001b[31mroom" },
      { type: "notice_add", entry: 4, code: "learned", text: "Learned a skill." },
      { type: "text_delta", entry: 5, offset: 0, text: "Done\u001b]52;c;x\u0007." },
      END,
    ];
    const { result, updates } = await play({ events }, (editor) => prompt(editor));
    expect(result).toEqual({ stopReason: "end_turn" });
    expect(updates.map(({ sessionUpdate }) => sessionUpdate)).toEqual([
      "agent_thought_chunk",
      "tool_call",
      "tool_call_update",
      "notice",
      "agent_message_chunk",
    ]);
    expect(updates[1]).toMatchObject({
      toolCallId: "call-3",
      kind: "edit",
      title: "write_file a.txt",
      status: "in_progress",
    });
    expect(updates[2]).toMatchObject({ toolCallId: "call-3", status: "failed" });
    expect(JSON.stringify(updates)).not.toMatch(/\\u001b|\\u0007/);
  });

  it("sends images with the message, and files of the editor as files of the session", async () => {
    const { calls } = await play({}, (editor) =>
      prompt(editor, [
        { type: "text", text: "Look." },
        { type: "image", data: "AAAA", mimeType: "image/png" },
        { type: "resource", resource: { uri: "file:///project/..%2Fsecret.ts", text: "let x" } },
        { type: "resource", resource: { uri: "file:///other/..%2Fsecret.ts", text: "let y" } },
      ]),
    );
    const stored = calls.filter(([name]) => name === "putFile").map(([, , path, body]) => [path, body]);
    expect(stored).toEqual([
      ["editor/__secret.ts", "let x"],
      ["editor/2-__secret.ts", "let y"],
    ]);
    const [, , text, images] = calls.find(([name]) => name === "streamMessage")!;
    expect(text).toContain("Look.\n(file:///project/..%2Fsecret.ts is attached as `editor/__secret.ts`.)");
    expect(images).toEqual([{ data: "data:image/png;base64,AAAA" }]);
  });

  it.each([
    [
      { outcome: "selected", optionId: "session" },
      { approve: true, scope: "session" },
    ],
    [{ outcome: "selected", optionId: "reject" }, { approve: false }],
    [{ outcome: "selected", optionId: "invented" }, { approve: false }],
    [{ outcome: "cancelled" }, null],
  ] as const)("that answers an approval with %j decides it so", async (answer, body) => {
    const events = [PARK, () => new Promise((done) => setTimeout(done, 5)), END];
    const { calls, asked } = await play({ events, answer }, (editor) => prompt(editor));
    expect(asked[0]!.toolCall.title).toBe("Run `rm -r build`\nIt deletes files.");
    expect(asked[0]!.options.map(({ kind }) => kind)).toEqual([
      "allow_once",
      "allow_always",
      "allow_always",
      "reject_once",
    ]);
    const decided = calls.filter(([name]) => name === "call").map(([, , , given]) => (given as { body: unknown }).body);
    expect(decided).toEqual(body === null ? [] : [body]);
  });

  it("reads a question as text, and its next prompt answers it", async () => {
    const question = { for: "clarify", id: "c1", until: 0, questions: [] } satisfies AskedQuestion;
    const events: AgentEvent[] = [{ type: "turn_park", turn: 1, entry: 4, question, text: "Which flour?" }];
    const { result, updates } = await play({ events }, (editor) => prompt(editor));
    expect(result).toEqual({ stopReason: "end_turn" });
    expect(updates[0]).toMatchObject({ content: { text: "\n\nWhich flour?\n" } });
  });

  it("that cancels stops the turn and is told so", async () => {
    let cancel: () => Promise<void> = () => Promise.resolve();
    const { result, calls } = await play({ events: [() => cancel(), END] }, (editor) => {
      cancel = async () => {
        await editor.notify(acp.methods.agent.session.cancel, { sessionId: SESSION });
        await new Promise((done) => setTimeout(done, 5));
      };
      return prompt(editor);
    });
    expect(result).toEqual({ stopReason: "cancelled" });
    expect(calls.map(([name]) => name)).toContain("stop");
  });

  it("that loads a session is shown its turns", async () => {
    const base = { v: 1, turn: 1, at: 0 } as const;
    const call = { id: "c", name: "read_file", args: { path: "a" } };
    const entries = [
      { ...base, n: 1, kind: "user", parts: [{ source: "principal", text: "Hello" }] },
      { ...base, n: 2, kind: "note", code: "news", parts: [{ source: "own", text: "for the model" }] },
      {
        ...base,
        n: 3,
        kind: "tool",
        state: "done",
        call,
        step: 0,
        failed: false,
        prepared: {},
        parts: [{ source: "content", text: "x" }],
      },
      { ...base, n: 4, kind: "assistant", answer: {}, parts: [{ source: "own", text: "Hi" }] },
    ];
    const { updates } = await play({ api: { entries: async () => entries } }, (editor) =>
      editor.request(acp.methods.agent.session.load, { sessionId: SESSION, cwd: "/", mcpServers: [] }),
    );
    expect(updates.map(({ sessionUpdate }) => sessionUpdate)).toEqual([
      "user_message_chunk",
      "tool_call",
      "agent_message_chunk",
      "available_commands_update",
    ]);
  });

  it("chooses a model, lists sessions and reads a refusal with its code", async () => {
    const detail = "There is no such session.";
    const missing = new ProblemError({ type: "t", title: "No", status: 404, code: "session_not_found", detail });
    const api = { entries: () => Promise.reject(missing) };
    const { result, calls } = await play({ api }, async (editor) => {
      await editor.request(acp.methods.agent.session.setConfigOption, {
        sessionId: SESSION,
        configId: "model",
        value: "second",
      });
      const { sessions } = await editor.request(acp.methods.agent.session.list, {});
      const load = editor.request(acp.methods.agent.session.load, { sessionId: SESSION, cwd: "/", mcpServers: [] });
      return { sessions, refused: await load.catch((error: unknown) => error as acp.RequestError) };
    });
    expect(calls).toContainEqual(["changeSession", SESSION, { model: "second" }]);
    expect(result.sessions).toEqual([
      { sessionId: SESSION, cwd: "/work", title: "Bread", updatedAt: "1970-01-01T00:00:00.000Z" },
    ]);
    expect(result.refused).toMatchObject({ code: -32_002, message: `${detail} (session_not_found)` });
  });
});
