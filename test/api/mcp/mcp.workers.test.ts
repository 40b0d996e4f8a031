// The MCP server over real objects: what clients of both protocols list, call and read, that a profile sees only its own, and what is
// refused and how.
import type { CallToolResult, Client } from "@modelcontextprotocol/client";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { START_MS, ask, createProfile, createSession, fetchApi } from "../api-calls.ts";
import { connect, rpc } from "./mcp-client.ts";

let key: string;
let client: Client;

const SKILL_MD = [
  "---",
  "name: kiln-keeping",
  "description: Fires a kiln. Use it when somebody asks for pottery.",
  "---",
  "# Kiln\n\nHeat it to {{degrees}} degrees. See references/curve.md.\n",
].join("\n");
const BINARY = { base64: "AP/+gA==" };

async function call(name: string, args: Record<string, unknown> = {}, of = client) {
  const { isError = false, structuredContent } = (await of.callTool({ name, arguments: args })) as CallToolResult;
  return { isError, ...(structuredContent as Record<string, unknown>) };
}

async function putSkill(name: string, files: Record<string, unknown>, owner = key): Promise<void> {
  const { status } = await ask("PUT", `/v1/skills/${name}`, { key: owner, body: { files } });
  expect(status).toBe(200);
}

beforeAll(async () => {
  ({ key } = await createProfile());
  await putSkill("kiln-keeping", {
    "SKILL.md": SKILL_MD,
    "references/curve.md": "Slowly.",
    "assets/glaze chart.bin": BINARY,
  });
  client = await connect(key);
}, START_MS);

describe("the protocol", () => {
  it("serves the present protocol and that of 2025 with the same lists", async () => {
    const old = await connect(key, "legacy");
    expect([client.getNegotiatedProtocolVersion(), old.getNegotiatedProtocolVersion()]).toEqual([
      "2026-07-28",
      "2025-11-25",
    ]);
    expect(client.getServerCapabilities()).toEqual({ tools: {}, prompts: {}, resources: {} });
    expect(old.getServerVersion()).toMatchObject({ name: "talaria", title: "Talaria" });
    const names = async (of: Client) => (await of.listTools()).tools.map(({ name }) => name);
    expect(await names(client)).toEqual([
      "search_sessions",
      "read_memory",
      "add_memory",
      "replace_memory",
      "forget_memory",
      "send_message",
      "get_turn",
    ]);
    expect(await names(old)).toEqual(await names(client));
    expect((await old.listPrompts()).prompts).toEqual((await client.listPrompts()).prompts);
    expect((await old.listResources()).resources).toEqual((await client.listResources()).resources);
  });
});
