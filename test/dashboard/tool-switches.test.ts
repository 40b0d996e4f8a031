// Switches of tools, and policies as text, of the page Settings.
import { describe, expect, it } from "vitest";
import { describePolicy, readArguments, writeArguments } from "../../dashboard/settings/policy-words.ts";
import { groupTools, isOff, switchTool } from "../../dashboard/settings/tool-switches.ts";

describe("the switch of a tool", () => {
  it("adds and removes one name and keeps what else is set", () => {
    const off = switchTool("terminal", false, { only: ["shell"], disabled: ["web"] });
    expect(off).toEqual({ only: ["shell"], disabled: ["terminal", "web"] });
    expect(isOff("terminal", off)).toBe(true);
    expect(switchTool("terminal", false, off)).toEqual(off);
    expect(switchTool("web", true, { only: null, disabled: ["web"] })).toEqual({});
  });

  it("is listed under its toolset, in the order of the names", () => {
    const tool = (name: string, toolset: string) => ({ name, toolset, available: true });
    const tools = [tool("terminal", "shell"), tool("board", "board"), tool("process", "shell")];
    expect(groupTools(tools).map(({ toolset, tools: of }) => [toolset, of.length])).toEqual([
      ["board", 1],
      ["shell", 2],
    ]);
  });
});

describe("a policy", () => {
  it("is told in words", () => {
    const policy = {
      hook: "pre_tool_call",
      tool: "write_file",
      arguments: { path: "deploy/*" },
      decision: "deny",
    } as const;
    expect(describePolicy(policy)).toBe("write_file with path = deploy/*, before the call");
    expect(describePolicy({ hook: "post_tool_call", tool: "*", decision: "deny" })).toBe("*, after the call");
  });

  it("has its arguments as lines", () => {
    const args = { path: "deploy/*", "options.mode": "a=b" };
    expect(readArguments(writeArguments(args))).toEqual(args);
    expect(readArguments("\n")).toEqual({});
    expect(() => readArguments("path deploy")).toThrow("This line is not so: path deploy");
  });
});
