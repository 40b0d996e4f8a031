// What of the official suite Talaria's MCP server does not claim, and why. Everything else is claimed, also what a later version of the
// suite adds.

const TEST_SERVER = "uses tools, prompts or resources that only the suite's own test server has";

/** Scenarios by name. */
const SCENARIOS: [RegExp, string][] = [
  [/^tools-call-/, TEST_SERVER],
  [/^prompts-get-/, TEST_SERVER],
  [/^resources-(?:read-|templates-read)/, TEST_SERVER],
  [/^(?:json-schema-2020-12|http-custom-header-server-validation)$/, TEST_SERVER],
  [/^input-required-result-(?!unsupported-methods$)/, "no tool or prompt here asks its client for input"],
  [/^elicitation-/, "no tool here asks its client for input"],
  [/^tasks-/, "the extension of tasks is not offered: a turn is a task of its own, which get_turn waits for"],
  [/^sep-2640-skills-directory$/, "folders are not listed by themselves: resources/list has every file"],
  [/^logging-set-level$/, "no log messages are sent; the protocol of 2026-07-28 deprecates them"],
  [/^completion-complete$/, "no arguments are completed"],
  [/^resources-(?:un)?subscribe$/, "no changes are announced: the server keeps nothing between requests"],
  [/^server-(?:session-lifecycle|sse-polling|sse-multiple-streams)$/, "of sessions in the server, which keeps none"],
];

/** Checks of scenarios that are claimed otherwise. */
const CHECKS: [RegExp, string][] = [
  [/^sep-2575-(?:server-rejects-undeclared-capability|missing-capability-http-400)$/, TEST_SERVER],
  [/^sep-2575-(?:http-server-no-independent-requests-on-stream|server-no-log-without-loglevel)$/, TEST_SERVER],
];

/** Null: it is claimed. */
export function whyNotClaimed(scenario: string, check?: string): string | null {
  const [list, name] = check === undefined ? [SCENARIOS, scenario] : [CHECKS, check];
  return list.find(([pattern]) => pattern.test(name))?.[1] ?? null;
}
