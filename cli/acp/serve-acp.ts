// `talaria acp`: serves an editor over the Agent Client Protocol, version 1, on standard input and output. Each session of the editor is a
// session of Talaria, which works on its own files or on the exec host, not on those of the editor. Called by cli/verbs/acp.ts.
import * as acp from "@agentclientprotocol/sdk";
import { COMMANDS } from "../../core/commands/commands.ts";
import { ApprovalDetail, type Backend } from "../../core/schemas/api.ts";
import type { AgentEvent, AskedQuestion } from "../../core/schemas/entry.ts";
import { type Client, ProblemError, UnreachableError } from "../connection/client.ts";
import { toPlain } from "../output/plain-text.ts";
import { readPrompt } from "./prompt-content.ts";
import { toCallId, toPastUpdates, toStopReason, toUpdates } from "./updates.ts";

export interface AcpOptions {
  client: Client;
  version: string;
  /** Where new sessions work. Absent: in a workspace of their own. */
  backend?: Backend | undefined;
  /** The editor asks where a session works; this is the answer for those that began elsewhere. */
  cwd: string;
}

type Approval = Extract<AskedQuestion, { for: "approval" }>;
type Editor = Pick<acp.AgentContext, "request" | "notify">;

/** Resolves when the editor closes the connection. */
export async function serveAcp(options: AcpOptions, stream: acp.Stream): Promise<void> {
  await createAcpAgent(options).connect(stream).closed;
}

export function createAcpAgent({ client, version, backend, cwd }: AcpOptions): acp.AgentApp {
  const { agent: methods } = acp.methods;
  /** Prompts that run, by session: a cancelled one ends as `cancelled`. */
  const running = new Map<string, AbortController>();

  return acp
    .agent({ name: "talaria" })
    .onRequest(methods.initialize, () => ({
      protocolVersion: acp.PROTOCOL_VERSION,
      agentInfo: { name: "talaria", title: "Talaria", version },
      agentCapabilities: {
        loadSession: true,
        promptCapabilities: { image: true, embeddedContext: true },
        sessionCapabilities: { list: {}, delete: {}, resume: {} },
      },
      authMethods: [],
    }))
    .onRequest(methods.authenticate, () => ({}))
    .onRequest(methods.session.new, ({ client: editor }) =>
      explain(async () => {
        const { session } = await client.createSession(backend ? { backend } : {});
        void tellCommands(editor, session);
        return { sessionId: session, configOptions: await listOptions(session) };
      }),
    )
    .onRequest(methods.session.load, ({ params: { sessionId }, client: editor }) =>
      explain(async () => {
        const configOptions = await listOptions(sessionId);
        for (const entry of await client.entries(sessionId)) {
          for (const update of toPastUpdates(entry)) await show(editor, sessionId, update);
        }
        void tellCommands(editor, sessionId);
        return { configOptions };
      }),
    )
    .onRequest(methods.session.resume, ({ params: { sessionId }, client: editor }) =>
      explain(async () => {
        const configOptions = await listOptions(sessionId);
        void tellCommands(editor, sessionId);
        return { configOptions };
      }),
    )
    .onRequest(methods.session.list, () =>
      explain(async () => ({
        sessions: (await client.recentSessions()).map(({ session, title, createdAt }) => ({
          sessionId: session,
          cwd,
          title: title || null,
          updatedAt: new Date(createdAt).toISOString(),
        })),
      })),
    )
    .onRequest(methods.session.delete, ({ params: { sessionId } }) =>
      explain(async () => {
        await client.deleteSession(sessionId);
        return {};
      }),
    )
    .onRequest(methods.session.setConfigOption, ({ params: { sessionId, configId, value } }) =>
      explain(async () => {
        if (configId !== "model" || typeof value !== "string") throw acp.RequestError.invalidParams({ configId });
        await client.changeSession(sessionId, { model: value });
        return { configOptions: await listOptions(sessionId) };
      }),
    )
    .onRequest(methods.session.prompt, ({ params: { sessionId, prompt }, client: editor }) =>
      explain(() => runPrompt(editor, sessionId, prompt)),
    )
    .onNotification(methods.session.cancel, async ({ params: { sessionId } }) => {
      running.get(sessionId)?.abort();
      await client.stop(sessionId).catch(() => undefined); // it has no turn, or the server is away: the prompt says so
    });

  async function runPrompt(
    editor: Editor,
    session: string,
    blocks: readonly acp.ContentBlock[],
  ): Promise<acp.PromptResponse> {
    const { text, images, files } = readPrompt(blocks);
    const cancelled = new AbortController();
    running.set(session, cancelled);
    try {
      for (const { path, body } of files) await client.putFile(session, path, body);
      for await (const { event } of client.streamMessage(session, text, { images })) {
        for (const update of toUpdates(event)) await show(editor, session, update);
        if (event.type === "turn_end") {
          return { stopReason: cancelled.signal.aborted ? "cancelled" : toStopReason(event) };
        }
        if (event.type !== "turn_park") continue;
        // The next prompt answers it.
        if (event.question.for === "clarify") return { stopReason: "end_turn" };
        if (event.question.for === "approval")
          void askApproval(editor, session, event, event.question, cancelled.signal);
      }
      return { stopReason: "end_turn" };
    } finally {
      if (running.get(session) === cancelled) running.delete(session);
    }
  }

  /** The turn goes on when it is decided, here or elsewhere. */
  async function askApproval(
    editor: Editor,
    session: string,
    { entry }: Extract<AgentEvent, { type: "turn_park" }>,
    { id, summary, reasons, covers }: Approval,
    cancelled: AbortSignal,
  ): Promise<void> {
    const title = toPlain([summary, ...reasons].join("\n"));
    const answer = await editor
      .request(acp.methods.client.session.requestPermission, {
        sessionId: session,
        toolCall: { toolCallId: toCallId(entry), title, status: "pending" },
        options: listPermissions(covers),
      })
      .catch(() => null); // the editor has left: the question stays open
    if (answer === null || answer.outcome.outcome === "cancelled" || cancelled.aborted) return;
    const { optionId } = answer.outcome;
    const scope = SCOPES.find((one) => one === optionId);
    const body = scope ? { approve: true, scope } : { approve: false };
    await client
      .call(ApprovalDetail, "POST /v1/sessions/{session}/approvals/{approval}", {
        params: { session, approval: id },
        body,
      })
      .catch((error: unknown) =>
        show(editor, session, { sessionUpdate: "notice", severity: "warning", title: toSentence(error) }),
      );
  }

  async function listOptions(session: string): Promise<acp.SessionConfigOption[]> {
    const [{ model }, models] = await Promise.all([client.session(session), client.models()]);
    const standard = models.find(({ isDefault }) => isDefault) ?? models[0];
    if (!standard) return [];
    const options = models.map(({ name }) => ({ value: name, name }));
    const currentValue = model ?? standard.name;
    return [{ id: "model", name: "Model", category: "model", type: "select", currentValue, options }];
  }
}

const SCOPES = ["once", "session", "always"] as const;

function listPermissions(covers: string | null): acp.PermissionOption[] {
  const wider =
    covers === null
      ? []
      : [
          { optionId: "session", name: `Allow in this session: ${toPlain(covers)}`, kind: "allow_always" as const },
          { optionId: "always", name: `Always allow: ${toPlain(covers)}`, kind: "allow_always" as const },
        ];
  return [
    { optionId: "once", name: "Allow once", kind: "allow_once" },
    ...wider,
    { optionId: "reject", name: "Do not allow", kind: "reject_once" },
  ];
}

/** The commands that a session carries out. Sent after the answer that names the session. */
async function tellCommands(editor: Editor, session: string): Promise<void> {
  await new Promise((done) => setImmediate(done));
  const availableCommands = COMMANDS.filter(({ handler }) => handler !== "client").map(({ name, help, argument }) => ({
    name,
    description: help,
    ...(argument && { input: { hint: argument.name } }),
  }));
  await show(editor, session, { sessionUpdate: "available_commands_update", availableCommands });
}

async function show(editor: Editor, sessionId: string, update: acp.SessionUpdate): Promise<void> {
  await editor.notify(acp.methods.client.session.update, { sessionId, update });
}

/** Refusals reach the editor as errors with their sentence and code. */
async function explain<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ProblemError) {
      const { status, code } = error.problem;
      if (status === 404) throw new acp.RequestError(RESOURCE_NOT_FOUND, toSentence(error), { code });
      if (status < 500) throw new acp.RequestError(INVALID_PARAMS, toSentence(error), { code });
    }
    if (error instanceof acp.RequestError) throw error;
    throw new acp.RequestError(INTERNAL, toSentence(error));
  }
}

/** Codes of JSON-RPC and of the protocol. */
const INVALID_PARAMS = -32_602;
const INTERNAL = -32_603;
const RESOURCE_NOT_FOUND = -32_002;

function toSentence(error: unknown): string {
  if (error instanceof UnreachableError) return `${toPlain(error.message)} Is Talaria running?`;
  return toPlain(error instanceof Error ? error.message : String(error));
}
