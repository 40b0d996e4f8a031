// Asks the model of the slot `approval` about a dangerous call before a person is asked. Called for the mode `smart`. Doubt, a
// failure and a spent budget ask the person. The call is data to the model: it sees no conversation.
import type { ModelFailure } from "../../agent/contract.ts";
import { readModelJson } from "../../agent/model-json.ts";
import { askModel } from "../../agent/model-turn.ts";
import { toOneLine } from "../../clip.ts";
import type { Failure } from "../../errors.ts";
import { approvalPrompt, renderApprovalRequest } from "../../prompts/approval.ts";
import { redactText } from "../../redact.ts";
import type { CommandApproval } from "../../schemas/approvals/approval.ts";
import { type SpentCall, toSpentCall } from "../../schemas/usage.ts";
import { isObject } from "../../unknown-object.ts";
import type { EngineContext } from "../context.ts";

/** Room for models that always reason. */
const MAX_OUTPUT_TOKENS = 2_000;
/** A longer call is not judged by reading it once. */
const MAX_CALL_CHARS = 8_000;
const MAX_REASON_CHARS = 300;

export type TriageBudget = () => Promise<Failure | null>;

export interface Triage {
  decision: "approve" | "deny" | "ask";
  reason: string;
  /** All calls that were charged. */
  spent: SpentCall[];
}

export async function triageCall(
  { host }: EngineContext,
  { summary, reasons }: CommandApproval,
  { findRefusal, signal }: { findRefusal: TriageBudget; signal: AbortSignal },
): Promise<Triage> {
  const { settings, clock, random, session } = host;
  const models = host.models("approval");
  const spent: SpentCall[] = [];
  const ask: Triage = { decision: "ask", reason: "", spent };
  // A redacted command is not the command that would run.
  if (!models.ok || summary.length > MAX_CALL_CHARS || redactText(summary) !== summary) return ask;
  const charge = (failure: ModelFailure) => void (failure.spent && spent.push(failure.spent));
  const { result } = await askModel({
    models: models.value,
    at: 0,
    request: {
      system: approvalPrompt(),
      messages: [{ role: "user", text: renderApprovalRequest(summary, reasons) }],
      tools: [],
      maxOutputTokens: MAX_OUTPUT_TOKENS,
      toolChoice: "none",
      effort: settings.models.effort.approval,
      cacheKey: `${session}:approval`,
    },
    limits: { ...settings.turn, modelRetries: 0 },
    findRefusal,
    clock,
    random,
    signal,
    sink: { text() {}, reasoning() {}, restart: charge },
  });
  if (!result.ok) {
    charge(result.failure);
    return ask;
  }
  spent.push(toSpentCall(result.value));
  return { ...readTriage(result.value.text), spent };
}

/** The decision in a model's answer. Anything but exactly one well-formed decision is `ask`. */
function readTriage(text: string): Pick<Triage, "decision" | "reason"> {
  const ask = { decision: "ask" as const, reason: "" };
  const read = readModelJson(text);
  if (!isObject(read)) return ask;
  const { decision, reason } = read;
  if (decision !== "approve" && decision !== "deny") return ask;
  const why = typeof reason === "string" ? toOneLine(reason) : "";
  return { decision, reason: why.slice(0, MAX_REASON_CHARS).toWellFormed() };
}
