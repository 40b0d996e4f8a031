// The gate of a tool that runs commands on a real machine, made of the rules' verdict. Called by such tools in `Tool.gate`. Pure.
import type { CallGate } from "../../agent/contract.ts";
import { toAllowance } from "./command-rules/command-allowance.ts";
import { judgeCommand } from "./command-rules/judge-command.ts";

/**
 * Every command that is not refused asks; the session decides by `approvals.mode` whether a person is really asked. `stdin`: the
 * input of the command, if the call gives one.
 */
export function gateCommand(command: string, stdin = ""): CallGate {
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
  return {
    verdict: "ask",
    summary: stdin === "" ? command : `${command}\n<<< ${stdin}`,
    reasons: findings.map(({ sentence }) => sentence),
    allowance: toAllowance(command, stdin, findings.length === 0),
  };
}
