// The tools send_message and get_turn: give work to a session, and read what became of it. The turn runs in its session; a client that
// stops waiting stops nothing. With a key, a repeated call finds the session and the turn of the first one.
import type { CallToolResult } from "@modelcontextprotocol/server";
import * as z from "zod";
import { ulid } from "ulid";
import { refusedCommand } from "../../../core/commands/parse-command.ts";
import { SessionId, TurnId, fromTurnId } from "../../../core/schemas/ids.ts";
import { sha256Hex } from "../../../core/schemas/learning/digest.ts";
import { AppError, unwrap } from "../problems.ts";
import { IdempotencyKey, assertUsableText } from "../sessions/messages.ts";
import { openAccount, openSession } from "../sessions/session-rpc.ts";
import { type CallContext, type McpScope, type McpTool, toResult, toToolError } from "./contract.ts";
import { NO_SESSION, awaitTurn } from "./turn-report.ts";

/** Below the minute after which the official clients give up a call that reports no progress. */
const USUAL_WAIT_S = 45;
const MAX_WAIT_S = 300;

const Wait = z
  .int()
  .min(0)
  .max(MAX_WAIT_S)
  .default(USUAL_WAIT_S)
  .describe(`How many seconds to wait for the end of the turn, 0 to ${MAX_WAIT_S}. Default: ${USUAL_WAIT_S}.`);

const SendArgs = z.strictObject({
  text: z.string().describe("What Talaria should do or answer, in plain words."),
  session: SessionId.optional().describe("The session to go on with. Absent: a new one begins."),
  wait_seconds: Wait,
  key: IdempotencyKey.optional().describe(
    "Any text that is unique to this message. A call repeated with the same key and text sends nothing again.",
  ),
});
type SendArgs = z.infer<typeof SendArgs>;

/**
 * The client's model is not the person, though the client holds the person's key. It must not allow what it may have caused itself, nor take back,
 * delete or set anything because a page asked for it.
 */
function refuseCommand(name: string): CallToolResult {
  return toToolError(
    "person_needed",
    `Only the person may use /${name}, in Talaria's chat or API. Tell them, or say what Talaria should do in plain words, without a command.`,
  );
}

/** Failures of a session that name routes or headers of the API, in the words of this tool. */
const REFUSALS: Record<string, string> = {
  session_not_found: NO_SESSION,
  idempotency_conflict:
    "This key came with another text before, so nothing was sent. Use a new key for another message.",
};

const TurnArgs = z.strictObject({
  turn: TurnId.describe("The turn, as send_message returned it."),
  wait_seconds: Wait,
});

export function createMessageTools(scope: McpScope): McpTool<never>[] {
  return [sendTool(scope), turnTool(scope)] as McpTool<never>[];
}

function sendTool(scope: McpScope): McpTool<SendArgs> {
  return {
    name: "send_message",
    title: "Send a message",
    description:
      "Gives Talaria a message and waits for its answer. It works by itself with its own tools, which may take minutes: if the result " +
      "has the state queued or running, call get_turn with its turn. Go on in the same session to refer to earlier messages.",
    parameters: SendArgs,
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
    async run({ text, key, wait_seconds: seconds, ...args }, context) {
      assertUsableText(text, false);
      const command = refusedCommand(text, "participant");
      if (command !== null) return refuseCommand(command);
      const session = args.session ?? (await beginSession(scope, key));
      const { env, profile, settingsRev } = scope;
      const message = { text, ...(key && { key }), ...(settingsRev > 0 && { settingsRev }) };
      const posted = await openSession(env, profile, session).post(message);
      if (!posted.ok && Object.hasOwn(REFUSALS, posted.failure.code)) {
        return toToolError(posted.failure.code, REFUSALS[posted.failure.code]!);
      }
      return report(scope, { turn: unwrap(posted).turn, seconds }, context);
    },
  };
}

function turnTool(scope: McpScope): McpTool<z.infer<typeof TurnArgs>> {
  return {
    name: "get_turn",
    title: "Read a turn",
    description: "Reads what became of a message, and waits for the answer if the turn has not ended.",
    parameters: TurnArgs,
    annotations: { readOnlyHint: true, openWorldHint: false },
    run: ({ turn, wait_seconds: seconds }, context) => report(scope, { turn, seconds }, context),
  };
}

async function report(
  { env, profile }: McpScope,
  { turn, seconds }: { turn: TurnId; seconds: number },
  context: CallContext,
) {
  const { session, n } = fromTurnId(turn);
  return toResult(await awaitTurn(openSession(env, profile, session), { n, waitMs: seconds * 1_000 }, context));
}

/** Registered first, as every session. A session of this key that was registered before is created again, which changes nothing. */
async function beginSession({ env, profile }: McpScope, key: string | undefined): Promise<SessionId> {
  const createdAt = Date.now();
  const asked = { session: ulid(), title: "", learning: "on" as const, createdAt };
  const account = openAccount(env, profile);
  const session =
    key === undefined
      ? (await account.registerSession(asked)) && asked.session
      : await account.registerSessionOnce(sha256Hex(key), asked);
  if (!session) throw new AppError("profile_gone", "This profile has been deleted.");
  const created = await openSession(env, profile, session).create({ learning: "on", title: "", createdAt });
  if (!created) throw new AppError("session_not_found", "The session was deleted meanwhile. Send the message again.");
  return session;
}
