// What a check-up says of channels and inbound webhooks.
import { describe, expect, it } from "vitest";
import { DEFAULT_OPTIONS } from "../../../core/schemas/channels/channel-api.ts";
import type { ChannelState } from "../../../core/schemas/channels/channel.ts";
import { checkChannels, checkWebhooks } from "../../../workers/api/doctor/check-channels.ts";

const HERE = { publicUrl: "https://t.test", polls: false };
const channel = (more: Partial<ChannelState> = {}): ChannelState => ({
  platform: "slack",
  state: "verified",
  fields: {},
  options: DEFAULT_OPTIONS,
  self: { id: "U1", name: "talaria" },
  savedAt: 1,
  verifiedAt: 2,
  lastIn: 10,
  lastOut: 11,
  lastError: null,
  home: null,
  ...more,
});
const error = (at: number, code = "channel_refused") => ({ at, code, message: "The platform refused it." });
const states = (lines: { check: string; state: string; found: string; fix?: string }[]) =>
  lines.map(({ check, state, fix }) => `${check}: ${state}${fix ? "" : ", no fix"}`);

describe("a check-up of channels", () => {
  it("says nothing where none is set up", () => {
    expect(checkChannels([], { publicUrl: null, polls: false })).toEqual([]);
    expect(checkWebhooks([], { publicUrl: null, polls: false })).toEqual([]);
  });

  it("is well with a verified channel, also after an error that is over", () => {
    expect(states(checkChannels([channel(), channel({ platform: "line", lastError: error(9) })], HERE))).toEqual([
      "channel slack: ok, no fix",
      "channel line: ok, no fix",
    ]);
    expect(checkChannels([channel({ lastIn: null })], HERE)[0]!.found).toBe(
      "verified, as talaria; nobody has written yet",
    );
  });

  it("warns of a channel that is not verified, and of the last error", () => {
    const lines = checkChannels(
      [channel({ state: "saved" }), channel({ platform: "line", lastError: error(12) })],
      HERE,
    );
    expect(states(lines)).toEqual(["channel slack: warn", "channel line: warn"]);
    expect(lines[1]!.found).toBe("The platform refused it. (channel_refused)");
  });

  it("fails for a refused token", () => {
    const lines = checkChannels([channel({ state: "saved", lastError: error(12, "channel_auth_failed") })], HERE);
    expect(states(lines)).toEqual(["channel slack: fail"]);
    expect(lines[0]!.fix).toContain("talaria channels set slack");
  });

  it("warns where no platform can reach the deployment, but for Telegram when it is polled", () => {
    const telegram = channel({ platform: "telegram" });
    expect(states(checkChannels([telegram], { publicUrl: null, polls: true }))).toEqual([
      "channel telegram: ok, no fix",
    ]);
    const lines = checkChannels([telegram, channel()], { publicUrl: null, polls: true });
    expect(lines[0]).toMatchObject({ check: "channels", state: "warn" });
    expect(lines[0]!.found).toBe("no public address is set, and slack cannot reach it");
    expect(states(checkChannels([telegram], { publicUrl: null, polls: false }))[0]).toBe("channels: warn");
  });

  it("warns of a webhook route whose last delivery failed, and of a missing address", () => {
    const routes = [
      { route: { name: "a" }, latest: null },
      { route: { name: "b" }, latest: { state: "failed" as const, reason: "no session" } },
      { route: { name: "c" }, latest: { state: "posted" as const } },
    ];
    expect(states(checkWebhooks(routes, HERE))).toEqual(["webhooks: ok, no fix", "webhook b: warn"]);
    expect(states(checkWebhooks(routes.slice(0, 1), { publicUrl: null, polls: false }))).toEqual(["webhooks: warn"]);
  });
});
