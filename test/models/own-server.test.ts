import { describe, expect, it } from "vitest";
import { computeTimeLimit } from "../../core/agent/time-limits.ts";
import { DEFAULTS } from "../../core/limits.ts";
import { createAnthropicModel } from "../../core/models/wires/anthropic.ts";
import { createOpenAiChatModel } from "../../core/models/wires/openai-chat.ts";
import { findCompat, toCompat } from "../../core/models/wires/openai-compat.ts";
import { isOwnServer } from "../../core/models/own-server.ts";
import { createTestClock } from "../support/clock.ts";

describe("an address", () => {
  it.each([
    "http://localhost:8080/v1",
    "http://127.0.0.1:9/v1",
    "http://127.8.8.8/v1",
    "http://[::1]:1234/v1",
    "http://[fd00::1]/v1",
    "http://[fe80::1]/v1",
    "http://10.0.0.7:8000/v1",
    "http://172.16.0.1/v1",
    "http://172.31.255.1/v1",
    "http://192.168.1.5:11434/v1",
    "http://100.64.0.3/v1",
    "http://ollama:11434/v1",
    "http://gpu.lan/v1",
    "http://host.docker.internal:8080/v1",
  ])("%s is the operator's own", (url) => {
    expect(isOwnServer(url)).toBe(true);
  });

  it.each([
    "https://api.openai.com/v1",
    "https://172.32.0.1/v1",
    "https://100.128.0.1/v1",
    "https://11.0.0.1/v1",
    "https://[2606:4700::1]/v1",
    "https://localhost.example.com/v1",
    "https://10.example.com/v1",
    "not an address",
  ])("%s is not the operator's own", (url) => {
    expect(isOwnServer(url)).toBe(false);
  });

  it("makes a model the operator's own, as does a kind of server that people run themselves", () => {
    const base = { apiKey: "none", model: "m", clock: createTestClock(), fetch };
    const isOwn = (baseUrl: string, compat = findCompat(baseUrl)) =>
      createOpenAiChatModel({ ...base, baseUrl, compat }).isOwn ?? false;
    expect(isOwn("http://192.168.1.5/v1")).toBe(true);
    expect(isOwn("https://api.mistral.ai/v1")).toBe(false);
    expect(isOwn("https://gpu.example.com/v1", toCompat({ provider: "vLLM", own: true }))).toBe(true);
    expect(createAnthropicModel({ ...base, baseUrl: "http://localhost:4000" }).isOwn).toBe(true);
    expect(createAnthropicModel(base).isOwn).toBeUndefined();
  });
});

describe("a time limit", () => {
  const ms = (phase: "first" | "idle", isOwn: boolean, stalls = 0) =>
    computeTimeLimit(phase, { isOwn }, { limits: DEFAULTS.turn, stalls }).ms;

  it("is longest for the prompt on the operator's own server, and longer than five minutes", () => {
    expect(ms("first", true)).toBeGreaterThan(5 * 60_000);
    expect(ms("idle", true)).toBeGreaterThan(5 * 60_000);
    expect([ms("first", true) > ms("first", false), ms("idle", true) > ms("idle", false)]).toEqual([true, true]);
  });

  it("grows with each retry, and names its setting", () => {
    const grown = [0, 1, 2, 3].map((stalls) => ms("first", false, stalls));
    expect(grown).toEqual(grown.toSorted((a, b) => a - b));
    expect(new Set(grown).size).toBe(4);
    const { setting } = computeTimeLimit("first", { isOwn: true }, { limits: DEFAULTS.turn, stalls: 0 });
    expect(setting).toBe("ownFirstByteMs");
  });
});
