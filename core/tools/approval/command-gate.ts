// The gate of a tool that runs commands on a real machine: the rules' verdict and the operator's mode together. Called by
// such tools in `Tool.gate`. Pure.
import type { CallGate } from "../../agent/contract.ts";
import { judgeCommand } from "./command-rules/judge-command.ts";

/**
 * `manual`: every command asks. `rules`: those that the rules call dangerous ask. `smart`: those go to the model of the slot
 * `approval` first. `off`: nothing asks. The hardline floor stays in every mode.
 */
export type ApprovalMode = "manual" | "rules" | "smart" | "off";

/** `stdin`: the input of the command, if the call gives one. */
export function gateCommand(command: string, mode: ApprovalMode, stdin = ""): CallGate {
  const judged = judgeCommand(command, stdin);
  if (judged.verdict === "refuse") {
    const { rule, sentence } = judged.finding;
    return {
      verdict: "refuse",
      code: "command_refused",
      reason: `This command never runs here (${rule}): ${sentence} Do it another way, or tell the person what to run.`,
    };
  }
  const findings = judged.verdict === "ask" ? judged.findings : [];
  if (mode === "off" || (findings.length === 0 && mode !== "manual")) return { verdict: "run" };
  return {
    verdict: "ask",
    summary: stdin === "" ? command : `${command}\n<<< ${stdin}`,
    reasons: findings.map(({ sentence }) => sentence),
    ...(mode === "smart" && { triage: true as const }),
  };
}
