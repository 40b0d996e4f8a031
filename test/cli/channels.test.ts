// `talaria channels`, against a fake API.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { PlatformInfo } from "../../core/schemas/channels/channel-api.ts";
import { DEFAULT_OPTIONS } from "../../core/schemas/channels/channel-api.ts";
import type { ChannelState } from "../../core/schemas/channels/channel.ts";
import { type Handler, answerJson, answerProblem } from "../support/fake-api.ts";
import { ask } from "../support/run-talaria.ts";

const channel = (more: Partial<ChannelState> = {}): ChannelState => ({
  platform: "slack",
  state: "verified",
  fields: { botToken: null },
  options: DEFAULT_OPTIONS,
  self: { id: "U1", name: "talaria" },
  savedAt: 1_700_000_000_000,
  verifiedAt: 1_700_000_000_000,
  lastIn: null,
  lastOut: null,
  lastError: null,
  home: null,
  ...more,
});

const capabilities = {
  edit: true,
  typing: false,
  buttons: 5,
  filesIn: true,
  filesOut: true,
  groups: true,
  threads: true,
  replies: true,
  redactsIds: false,
};

const info = (more: Partial<PlatformInfo> = {}): PlatformInfo => ({
  platform: "slack",
  title: "Slack",
  form: [
    { name: "botToken", help: "The bot's token.", secret: true, required: true },
    { name: "signingSecret", help: "The app's secret.", secret: true, required: true },
    { name: "team", help: "The team's id.", secret: false, required: false },
  ],
  steps: ["Make an app.", "Enter <address>."],
  capabilities,
  address: "https://t.test/channels/slack/p",
  channel: null,
  ...more,
});
const platforms = (...channels: PlatformInfo[]) => answerJson(200, { channels });

describe("talaria channels", () => {
  it("lists what is set up, and with --all every platform", async () => {
    const answer = platforms(info({ channel: channel() }), info({ platform: "line", title: "LINE" }));
    const { stdout } = await ask(["channels"], [answer]);
    expect(stdout).toMatch(/slack +verified +talaria/);
    expect(stdout).not.toContain("line");
    expect((await ask(["channels", "list", "--all"], [answer])).stdout).toMatch(/line +not set up/);
    expect((await ask(["channels"], [platforms(info())])).stderr).toContain("No channel is set up.");
  });

  it("shows what a platform takes, with the variables of its fields", async () => {
    const { stdout } = await ask(["channels", "show", "Slack"], [platforms(info())]);
    expect(stdout).toContain("1. Make an app.\n2. Enter <address>.\n");
    expect(stdout).toContain("  botToken (secret): The bot's token. SLACK_BOT_TOKEN\n");
    expect(stdout).toContain("  team (optional): The team's id. SLACK_TEAM\n");
  });

  it("takes fields from the environment", async () => {
    const env = { SLACK_BOT_TOKEN: "xoxb-1", SLACK_SIGNING_SECRET: "s" };
    const { code, requests, stdout } = await ask(
      ["channels", "set", "slack", "--from-env", "team=T1", "--owner", "U7", "--owner", "U8"],
      [platforms(info()), answerJson(200, channel())],
      { env },
    );
    expect(code).toBe(0);
    expect(requests[1]).toBe(
      'PUT /v1/channels/slack {"team":"T1","botToken":"xoxb-1","signingSecret":"s","options":{"owners":["U7","U8"]}}',
    );
    expect(stdout).toContain("Slack is verified: the bot is talaria.");
    expect(stdout).not.toContain("xoxb");
  });

  it("keeps the options that were there when it adds a person", async () => {
    const options = { ...DEFAULT_OPTIONS, everyone: true };
    const { requests } = await ask(
      ["channels", "set", "slack", "--from-env", "--user", "U9"],
      [platforms(info({ channel: channel({ options }) })), answerJson(200, channel())],
      { env: { SLACK_BOT_TOKEN: "x", SLACK_SIGNING_SECRET: "s" } },
    );
    expect(requests[1]).toContain('"everyone":true');
    expect(requests[1]).toContain('"users":["U9"]');
  });

  it("asks for what is missing in a terminal, and shows no secret", async () => {
    const form = [{ name: "token", help: "The bot's token.", secret: true, required: true }];
    const telegram = info({ platform: "telegram", title: "Telegram", form });
    const { code, requests, stdout, stderr } = await ask(
      ["channels", "set", "telegram"],
      [platforms(telegram), answerJson(200, channel({ platform: "telegram" }))],
      { columns: 80, typed: "123:abc" },
    );
    expect({ code, request: requests[1] }).toEqual({
      code: 0,
      request: 'PUT /v1/channels/telegram {"token":"123:abc"}',
    });
    expect(stderr).toContain("- Make an app.");
    expect(stderr).toContain("token: The bot's token.");
    expect(stdout + stderr).not.toContain("123:abc");
  });

  it("takes the path of a field that is a file, typed or as a word, and sends what is in it", async () => {
    const folder = mkdtempSync(join(tmpdir(), "talaria-key-"));
    const path = join(folder, "app key.pem");
    writeFileSync(path, "-----BEGIN\nabc\n");
    const form = [{ name: "privateKey", help: "The key.", secret: true, required: true, file: true as const }];
    const github = platforms(info({ platform: "github", title: "GitHub", form }));
    const saved = answerJson(200, channel({ platform: "github" }));
    const request = 'PUT /v1/channels/github {"privateKey":"-----BEGIN\\nabc\\n"}';
    const word = await ask(["channels", "set", "github", `privateKey=${path}`], [github, saved]);
    expect(word.requests[1]).toBe(request);
    const typed = await ask(["channels", "set", "github"], [github, saved], { columns: 80, typed: path });
    expect(typed.requests[1]).toBe(request);
    expect(typed.stderr + typed.stdout).not.toContain("abc");
    const env = await ask(["channels", "set", "github", "--from-env"], [github, saved], {
      env: { GITHUB_PRIVATE_KEY: "-----BEGIN\nabc\n" },
    });
    expect(env.requests[1]).toBe(request);
    for (const wrong of [`${path}.no`, folder]) {
      const { code, stderr } = await ask(["channels", "set", "github", `privateKey=${wrong}`], [github]);
      expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining("cannot be read") as string });
    }
    rmSync(folder, { recursive: true });
  });

  it("says what is left to do after it has saved the fields", async () => {
    const set = async (more: Partial<PlatformInfo>) => {
      const env = { SLACK_BOT_TOKEN: "x", SLACK_SIGNING_SECRET: "s", EMAIL_BOT_TOKEN: "x", EMAIL_SIGNING_SECRET: "s" };
      const shown = info(more);
      const args = ["channels", "set", shown.platform, "--from-env"];
      return (await ask(args, [platforms(shown), answerJson(200, channel())], { env })).stderr;
    };
    const address = "https://t.test/channels/slack/p";
    expect(await set({ steps: [`Enter ${address} there.`] })).toMatch(
      `Give Slack this address: ${address}\nTry it with`,
    );
    expect(await set({})).toMatch(/^Try it with `talaria channels test slack`/);
    expect(await set({ address: null })).toContain("the operator has to set TALARIA_PUBLIC_URL");
    const mail = { platform: "email", title: "E-mail" } as const;
    expect(await set({ ...mail, address: null })).toMatch(/^Try it with/);
    expect((await ask(["channels", "show", "email"], [platforms(info(mail))])).stdout).not.toContain("Address:");
  });

  it.each(["test", "people", "chats", "waiting", "remove"])(
    "%s says how a platform is set up first",
    async (action) => {
      const { code, stderr, requests } = await ask(["channels", action, "slack"], [platforms(info())]);
      expect({ code, requests }).toEqual({ code: 2, requests: ["GET /v1/channels"] });
      expect(stderr).toContain("Slack is not set up. Set it up with `talaria channels set slack`.");
    },
  );

  it.each([
    [["set", "slack", "botToken=x"], "`botToken` is a secret, and other programs can read a command line."],
    [["set", "slack", "tokn=x"], 'Slack has no field "tokn". It has: botToken, signingSecret, team.'],
    [["set", "slack", "team"], "Write it as team=VALUE."],
    [["set", "slack"], "Slack needs `botToken`. Nothing was done: set SLACK_BOT_TOKEN and pass --from-env"],
    [["set", "slak"], '"slak" is not one of: slack.'],
  ])("refuses %j and changes nothing", async (args, sentence) => {
    const { code, stderr, requests } = await ask(["channels", ...args], [platforms(info())]);
    expect({ code, requests }).toEqual({ code: 2, requests: ["GET /v1/channels"] });
    expect(stderr).toContain(sentence);
  });

  it("tries a channel, and fails with the platform's reason", async () => {
    const well = { verified: true, self: { id: "U1", name: "talaria" }, registered: true, sent: true, error: null };
    const found = platforms(info({ channel: channel() }));
    const good = await ask(["channels", "test", "slack", "C1"], [found, answerJson(200, well)]);
    expect(good).toMatchObject({
      code: 0,
      requests: ["GET /v1/channels", 'POST /v1/channels/slack/test {"chat":"C1"}'],
    });
    expect(good.stdout).toBe(
      "Slack accepts the credentials: the bot is talaria.\nIt knows the channel's address.\nThe message was sent.\n",
    );
    const error = { at: 1, code: "channel_auth_failed", message: "The platform refused the credentials." };
    const bad = await ask(
      ["channels", "test", "slack"],
      [found, answerJson(200, { verified: false, self: null, registered: null, sent: null, error })],
    );
    expect(bad).toMatchObject({ code: 1, stdout: "Slack is not verified.\nThe platform refused the credentials.\n" });
  });

  it("removes a channel only with a yes", async () => {
    const found = platforms(info({ channel: channel() }));
    expect(await ask(["channels", "remove", "slack"], [found])).toMatchObject({
      code: 2,
      requests: ["GET /v1/channels"],
    });
    const removed = await ask(
      ["channels", "remove", "slack", "--yes"],
      [found, (response) => void response.writeHead(204).end()],
    );
    expect(removed.requests[1]).toBe("DELETE /v1/channels/slack");
    expect(removed).toMatchObject({ code: 0, stderr: "Slack is removed.\n" });
  });

  const found = platforms(info({ channel: channel() }));

  it("approves a code, by default as a user", async () => {
    const approved = { person: "U7", name: "Ada", role: "user" };
    const result = await ask(["channels", "approve", "slack", "ABCD2345"], [found, answerJson(200, approved)]);
    expect(result.requests[1]).toBe('POST /v1/channels/slack/pairings {"code":"ABCD2345","role":"user"}');
    expect(result.stderr).toBe("Ada (U7) may talk, as a user.\n");
    const refused = await ask(["channels", "approve", "slack", "ABCD2345", "--role", "boss"], [found]);
    expect(refused).toMatchObject({ code: 2, requests: [] });
    expect(refused.stderr).toContain('--role takes owner, admin, user, not "boss".');
    const wrong = await ask(["channels", "approve", "slack", "X"], [found, answerProblem(403, "pairing_code_wrong")]);
    expect(wrong.code).toBe(3);
  });

  it("lists who waits, who may talk and where they wrote, and changes it", async () => {
    const waiting = { pairings: [{ id: "p", person: "U7", name: "Ada", at: 1, expiresAt: 2 }] };
    expect((await ask(["channels", "waiting", "slack"], [found, answerJson(200, waiting)])).stdout).toMatch(/U7 .*Ada/);
    const person = { person: "U7", name: "Ada", role: "admin", by: "owner", at: 1 };
    const people = await ask(["channels", "people", "slack"], [found, answerJson(200, { people: [person] })]);
    expect(people.requests[1]).toMatch(/^GET \/v1\/channels\/slack\/people/);
    expect(people.stdout).toMatch(/U7 +admin/);
    const let_ = await ask(["channels", "let", "slack", "U/7", "--role", "admin"], [found, answerJson(200, person)]);
    expect(let_.requests[1]).toBe('PUT /v1/channels/slack/people/U%2F7 {"role":"admin"}');
    expect(let_.stderr).toBe("Ada (U7) may talk, as an admin.\n");
    const unnamed = await ask(["channels", "let", "slack", "U7"], [found, answerJson(200, { ...person, name: "" })]);
    expect(unnamed.stderr).toBe("U7 may talk, as an admin.\n");
    const gone: Handler = (response) => void response.writeHead(204).end();
    const dismissed = await ask(["channels", "dismiss", "slack", "U7", "--yes"], [found, gone]);
    expect(dismissed.requests[1]).toBe("DELETE /v1/channels/slack/people/U7");
    const chat = {
      id: "c1",
      kind: "group",
      title: "garden",
      shared: false,
      session: null,
      lastIn: 1,
      listen: "mention",
      topics: [],
      home: true,
    };
    const chats = await ask(["channels", "chats", "slack"], [found, answerJson(200, { chats: [chat] })]);
    expect(chats.stdout).toMatch(/c1 +group .*yes +garden/);
  });
});
