// Which tools a session gets, by what it is for and by what each level takes away.
import { describe, expect, test } from "vitest";
import type { Tool } from "../../core/agent/contract.ts";
import type { SessionKind } from "../../core/schemas/sessions/session-kind.ts";
import { TOOLSETS, type ToolRules, explainAbsence, selectTools, toolsetOf } from "../../core/tools/toolsets.ts";

const ALL = [...Object.values(TOOLSETS).flat(), "mcp_notes_find", "provider_search"];
const tools = ALL.map((name) => ({ name, ...(name.startsWith("mcp_") && { toolset: "mcp-notes" }) }) as Tool);
const namesFor = (rules: ToolRules) => selectTools(tools, rules).map(({ name }) => name);
const missingFor = (rules: ToolRules) => ALL.filter((name) => !namesFor(rules).includes(name)).sort();

describe("the tools of a session", () => {
  test("are sorted by name, whatever order they come in", () => {
    const names = namesFor({ role: "chat" });
    expect(names).toEqual([...ALL].sort());
    expect(selectTools(tools.toReversed(), { role: "chat" }).map(({ name }) => name)).toEqual(names);
  });

  test.each<[SessionKind, string[]]>([
    ["chat", []],
    ["delegated", ["board", "clarify", "cronjob", "delegate_task", "memory"]],
    ["card", ["clarify", "cronjob"]],
    ["job", ["clarify", "cronjob", "memory", "skill_manage"]],
  ])("of the kind %s are all but %j", (role, missing) => {
    expect(missingFor({ role })).toEqual(missing);
  });

  test("of a webhook only read the web and skills and look at images, and never delegate", () => {
    expect(namesFor({ role: "webhook", mayDelegate: true })).toEqual([
      "skill_view",
      "skills_list",
      "vision_analyze",
      "web_extract",
      "web_search",
    ]);
    expect(namesFor({ role: "webhook", profile: { only: ["shell"] } })).toEqual([]);
  });

  test("of a child that may delegate hold delegate_task, unless a level takes it away", () => {
    expect(missingFor({ role: "delegated", mayDelegate: true })).toEqual(["board", "clarify", "cronjob", "memory"]);
    const rules: ToolRules = { role: "delegated", mayDelegate: true, operator: { disabled: ["delegation"] } };
    expect(missingFor(rules)).toContain("delegate_task");
  });

  test.each(["operator", "profile", "session"] as const)("lose what the %s takes away by tool or toolset", (level) => {
    const lost = missingFor({ role: "chat", [level]: { disabled: ["web", "mcp-notes", "todo"] } });
    expect(lost).toEqual(["mcp_notes_find", "todo", "web_extract", "web_search"]);
    const left = namesFor({ role: "chat", [level]: { only: ["web", "todo"], disabled: ["web_extract"] } });
    expect(left).toEqual(["todo", "web_search"]);
  });

  test("are those that every level leaves", () => {
    const rules: ToolRules = {
      role: "chat",
      operator: { only: ["files", "web"] },
      profile: { only: null, disabled: ["patch"] },
      session: { only: ["files"] },
    };
    expect(namesFor(rules)).toEqual(["read_file", "search_files", "write_file"]);
  });
});

describe("an absent tool", () => {
  test.each<[ToolRules, RegExp]>([
    [{ role: "delegated" }, /kind `delegated`/],
    [{ role: "chat", operator: { disabled: ["memory"] } }, /operator/],
    [{ role: "chat", profile: { disabled: ["memory"] } }, /PUT \/v1\/tools/],
    [{ role: "chat", session: { only: ["web"] } }, /this session/],
  ])("is explained under %j", (rules, words) => {
    expect(explainAbsence({ name: "memory" }, rules)).toMatch(words);
  });

  test("of unknown origin has a toolset too", () => {
    expect(toolsetOf({ name: "provider_search" })).toBe("other");
    expect(missingFor({ role: "chat", profile: { disabled: ["other"] } })).toEqual(["provider_search"]);
  });
});
