// Applies the policies of a profile to the tools of a session: before a call through the tool's gate, after it to what the model
// reads. What the tool itself refuses stays refused. Called when a turn's tools are made. Pure.
import type { CallGate, Tool } from "../agent/contract.ts";
import { fail, renderParts } from "../agent/tool-result.ts";
import type { ToolPolicy } from "../schemas/profile/policies.ts";
import { matchesGlob } from "../glob.ts";
import { isObject } from "../unknown-object.ts";
import { readPlainCommand } from "./approval/command-rules/command-allowance.ts";
import { listCommands } from "./approval/command-rules/list-commands.ts";
import { listSpellings, readArguments } from "./policy-arguments.ts";
import { cleanPath, pathsOfPatch, spellPath } from "./policy-paths.ts";
import { toolsetOf } from "./toolsets.ts";

type Policy = ToolPolicy & { id: string };

/** The very same tools if no policy names one of them. */
export function applyPolicies(tools: Tool[], policies: Record<string, ToolPolicy>): Tool[] {
  const all = Object.entries(policies).map(([id, policy]) => ({ ...policy, id }));
  if (all.length === 0) return tools;
  return tools.map((tool) => {
    const own = all.filter((policy) => matchesGlob(policy.tool, tool.name));
    const before = own.filter((policy) => policy.hook === "pre_tool_call");
    const after = own.filter((policy) => policy.hook === "post_tool_call");
    return withhold(decide(tool, before), after);
  });
}

function decide(tool: Tool, policies: Policy[]): Tool {
  if (policies.length === 0) return tool;
  return {
    ...tool,
    gate(args: unknown): CallGate {
      const gate = tool.gate?.(args) ?? { verdict: "run" };
      if (gate.verdict === "refuse") return gate;
      const matching = policies.filter((policy) => matchesCall(policy, tool, args, gate));
      const denied = matching.find(({ decision }) => decision === "deny");
      if (denied) return { verdict: "refuse", code: "denied_by_policy", reason: describeDenial(denied) };
      const asked = matching.find(({ decision }) => decision === "ask");
      if (asked) return toQuestion(tool, args, { gate, asked });
      return matching.length > 0 ? { verdict: "run" } : gate;
    },
  };
}

/**
 * Policies about commands see through the shell. `deny` and `ask` match each program that the command would run, `allow` the whole
 * text: with a wildcard, like a standing allowance, only one plain program that no rule calls dangerous.
 */
function matchesCall(policy: Policy, tool: Tool, args: unknown, gate: CallGate): boolean {
  if (toolsetOf(tool) === "files") return matchesFiles(policy, args);
  if (toolsetOf(tool) !== "shell") return matchesArguments(policy, args, spellingsFor(policy));
  if (policy.decision !== "allow") {
    return matchesArguments(policy, args, (name) => readArguments(args, name).flatMap((text) => listCommands(text)));
  }
  return (
    matchesArguments(policy, args) && (gate.verdict !== "ask" || isExact(policy) || isHarmless(policy, gate, args))
  );
}

/** What may forbid a call matches more than what allows it. */
function spellingsFor({ decision }: Policy): Expand {
  return decision === "allow" ? () => [] : listSpellings;
}

/**
 * `deny` and `ask` about files match every spelling of a path, and each path that a patch names. `allow` matches the clean path alone, which
 * cannot lead out of the folder that its pattern names.
 */
function matchesFiles(policy: Policy, args: unknown): boolean {
  const { path: pattern, ...others } = policy.arguments ?? {};
  if (!matchesArguments({ ...policy, arguments: others }, args, spellingsFor(policy))) return false;
  if (pattern === undefined) return true;
  const [written, patch] = [readArguments(args, "path"), readArguments(args, "patch")];
  if (policy.decision === "allow") {
    const clean = written.map(cleanPath);
    return patch.length === 0 && clean.length > 0 && clean.every((path) => path !== null && matchesGlob(pattern, path));
  }
  const named = [...written, ...patch.flatMap(pathsOfPatch)];
  return named.some((path) => spellPath(path).some((text) => matchesGlob(pattern, text)));
}

function isExact({ arguments: patterns = {} }: Policy): boolean {
  const { command } = patterns;
  return command !== undefined && !/[*?]/.test(command);
}

function isHarmless(
  { arguments: patterns }: Policy,
  gate: Extract<CallGate, { verdict: "ask" }>,
  args: unknown,
): boolean {
  if (gate.reasons.length > 0) return false;
  const command = isObject(args) ? args["command"] : undefined;
  return patterns === undefined || (typeof command === "string" && readPlainCommand(command) !== null);
}

function describeDenial({ id, reason }: Policy): string {
  const why = reason ? `: ${reason.replace(/\.$/, "")}` : "";
  return `The policy '${id}' of this profile forbids this call${why}. Do it another way, or say what is left to do.`;
}

/** A standing allowance of the person does not cover it: the policy asks for a decision on each call. */
function toQuestion(tool: Tool, args: unknown, { gate, asked }: { gate: CallGate; asked: Policy }): CallGate {
  const own = gate.verdict === "ask" ? gate : { summary: `${tool.name} ${JSON.stringify(args)}`, reasons: [] };
  const why = `The policy '${asked.id}' asks about this call${asked.reason ? `: ${asked.reason.replace(/\.$/, "")}` : ""}.`;
  return { verdict: "ask", summary: own.summary, reasons: [...own.reasons, why], insists: true };
}

/** The call has run, and what it spent counts. */
function withhold(tool: Tool, policies: Policy[]): Tool {
  if (policies.length === 0) return tool;
  return {
    ...tool,
    async run(args: unknown, context) {
      const result = await tool.run(args, context);
      const text = renderParts(result.parts);
      const denied = policies.find(
        (policy) =>
          policy.decision === "deny" &&
          (toolsetOf(tool) === "files" ? matchesFiles(policy, args) : matchesArguments(policy, args, listSpellings)) &&
          (policy.result === undefined || matchesGlob(policy.result, text)),
      );
      if (!denied) return result;
      const why = denied.reason ? `: ${denied.reason.replace(/\.$/, "")}` : "";
      const error = `The call has run. The policy '${denied.id}' of this profile withholds its result${why}.`;
      return { ...fail("withheld_by_policy", error), ...(result.spent && { spent: result.spent }) };
    },
  };
}

/** Further texts that stand for an argument. */
type Expand = (name: string, args: unknown) => string[];

function matchesArguments({ arguments: patterns }: Policy, args: unknown, expand: Expand = () => []): boolean {
  return Object.entries(patterns ?? {}).every(([name, pattern]) => {
    const isMatch = (text: string) => matchesGlob(pattern, text);
    return readArguments(args, name).some(isMatch) || expand(name, args).some(isMatch);
  });
}
