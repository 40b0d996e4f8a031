// One agent, reached over Telegram and Slack across the real stack: pairing, a file both ways, an approval by button, a topic, an outage in
// the middle of an answer, kill -9, and two profiles on one platform. The platforms are the fake servers that their own libraries drive too.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Update } from "@grammyjs/types";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Stack, startStack } from "../../scripts/stack/stack.ts";
import { type EchoModel, startEchoModel, toWords } from "../support/channels/echo-model.ts";
import { type RunningSlack, startFakeSlack } from "../support/channels/slack/start-fake-slack.ts";
import { signSlack, toPressBody, toWrittenBody } from "../support/channels/slack/slack-people.ts";
import type { FakeBot } from "../support/channels/telegram/fake-telegram.ts";
import { type RunningTelegram, startFakeTelegram } from "../support/channels/telegram/start-fake-telegram.ts";
import { toMessageUpdate, toPerson, toPressUpdate } from "../support/channels/telegram/telegram-people.ts";
import type { ScriptedAnswer } from "../support/wires/wire-script.ts";

const OPERATOR = "operator-token-for-tests";
const PUBLIC = "https://talaria.test";
const WAIT_MS = 40_000;
const ADA = toPerson(7_001, "Ada");
const EVE = toPerson(7_666, "Eve");
const RAIN = {
  kind: "file" as const,
  name: "rain.csv",
  mediaType: "text/csv",
  bytes: new TextEncoder().encode("mm\n12\n"),
};

const stateDir = mkdtempSync(join(tmpdir(), "talaria flow "));
let telegram: RunningTelegram;
let slack: RunningSlack;
let model: EchoModel;
let stack: Stack;
let vars: Record<string, string>;
/** Two profiles, each with a bot of its own. */
let first: Profile;
let second: Profile;

interface Profile {
  profile: string;
  key: string;
  bot: FakeBot;
}

/** The model's part: what it does depends on what the person said last. */
function answer(said: string, results: string[]): ScriptedAnswer {
  const call = (name: string, args: object) => ({
    calls: [{ id: `c${Math.floor(Math.random() * 1e9)}`, name, arguments: JSON.stringify(args) }],
  });
  const path = /inbox\/\S+\.csv/.exec(said)?.[0];
  if (path && results.length === 0) return call("read_file", { path });
  if (path && results.length === 1) return call("write_file", { path: "report.txt", content: "12 mm in all" });
  if (path) return { text: `It read ${results[0]!.includes("12") ? "12" : "nothing"}.\nMEDIA:report.txt` };
  if (said.includes("clean up") && results.length === 0)
    return call("terminal", { command: "echo cleaned > done.txt" });
  if (said.includes("clean up"))
    return { text: results[0]!.includes('"exit') ? "Cleaned." : `Not cleaned: ${results[0]}` };
  return { text: `You said: ${said}` };
}

beforeAll(async () => {
  telegram = await startFakeTelegram({ reach: (url) => url.replace(PUBLIC, stack.url) });
  slack = await startFakeSlack();
  model = await startEchoModel(answer);
  const settings = {
    turn: { titles: false, leaseMs: 2_000 },
    review: { enabled: false },
    publicUrl: PUBLIC,
    channels: { telegram: { apiBase: telegram.url }, slack: { apiBase: `${slack.url}/api` } },
  };
  vars = {
    ...{ TALARIA_OPERATOR_TOKEN: OPERATOR, TALARIA_SETTINGS: JSON.stringify(settings) },
    ...{ TALARIA_MODEL: "openai-chat:scripted", OPENAI_API_KEY: "k", OPENAI_BASE_URL: `${model.url}/v1` },
  };
  stack = await startStack({ stateDir, vars });
  first = await createProfile("11:first", "first_bot");
  second = await createProfile("22:second", "second_bot");
}, 120_000);

afterAll(async () => {
  await stack?.kill();
  await telegram?.[Symbol.asyncDispose]();
  await slack?.[Symbol.asyncDispose]();
  await model?.[Symbol.asyncDispose]();
  rmSync(stateDir, { recursive: true, force: true });
});

async function createProfile(token: string, name: string): Promise<Profile> {
  const made = (await call("POST", "/v1/profiles", {}, OPERATOR)).body as { profile: string; key: string };
  return { ...made, bot: telegram.fake.addBot(token, name) };
}

async function call(method: string, path: string, body?: object, bearer = first.key) {
  const headers = { authorization: `Bearer ${bearer}`, "content-type": "application/json" };
  const response = await fetch(`${stack.url}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  const text = await response.text();
  return { status: response.status, body: (text === "" ? null : JSON.parse(text)) as unknown };
}

/** Settles when the webhook has taken it. */
async function write(
  bot: FakeBot,
  more: { text: string; from?: typeof ADA; chat?: number; thread?: number; files?: [typeof RAIN] },
) {
  const from = more.from ?? ADA;
  const update = toMessageUpdate(telegram.fake, { from, chat: from.id, at: Date.now(), ...more });
  await telegram.deliver(bot, update);
  return update;
}

const texts = (bot: FakeBot) => bot.messages.map(({ text }) => text);

async function waitFor(bot: FakeBot, part: string) {
  const find = () => bot.messages.find(({ text }) => text.includes(part));
  await expect.poll(() => texts(bot).join("\n---\n"), { timeout: WAIT_MS, interval: 100 }).toContain(part);
  return find()!;
}

test("a bot is set up in two steps, and is verified by the platform", async () => {
  for (const { key, bot } of [first, second]) {
    expect(await call("PUT", "/v1/channels/telegram", { token: bot.token }, key)).toMatchObject({ status: 200 });
    const tested = await call("POST", "/v1/channels/telegram/test", {}, key);
    expect(tested.body).toMatchObject({ verified: true, registered: true, self: { name: bot.user.username } });
    expect(bot.webhook?.url).toMatch(new RegExp(`^${PUBLIC}/channels/telegram/`));
    expect(JSON.stringify(await call("GET", "/v1/channels", undefined, key))).not.toContain(bot.token);
  }
});

test("a stranger gets a code and no answer, and talks once the owner has approved the code", async () => {
  await write(first.bot, { text: "Hello" });
  const code = /\b[A-Z0-9]{8}\b/.exec((await waitFor(first.bot, "code")).text)![0];
  expect(model.requests).toEqual([]);
  const approved = await call("POST", "/v1/channels/telegram/pairings", { code, role: "owner" });
  expect(approved.status).toBeLessThan(300);
  await write(first.bot, { text: "Hello again" });
  await waitFor(first.bot, "You said: Hello again");
  await write(first.bot, { text: "Who is there?", from: EVE });
  await expect
    .poll(() => first.bot.messages.filter(({ chat }) => chat === EVE.id).length, { timeout: WAIT_MS })
    .toBe(1);
  expect(texts(first.bot).join("\n")).not.toContain("You said: Who is there?");
});

test("a file reaches the agent, and the agent's file reaches the person", async () => {
  await write(first.bot, { text: "What is in it?", files: [RAIN] });
  expect((await waitFor(first.bot, "It read 12.")).text).not.toContain("MEDIA:");
  await expect.poll(() => first.bot.files.length, { timeout: WAIT_MS }).toBe(1);
  const [sent] = first.bot.files;
  expect(sent).toMatchObject({ chat: String(ADA.id), name: "report.txt" });
  expect(new TextDecoder().decode(sent!.bytes)).toBe("12 mm in all");
});

test("an approval is given by a button, which then goes away", async () => {
  const policy = { hook: "pre_tool_call", tool: "terminal", decision: "ask" };
  expect((await call("PUT", "/v1/policies/ask-first", policy)).status).toBeLessThan(300);
  await write(first.bot, { text: "Please clean up" });
  const asked = await waitFor(first.bot, "echo cleaned");
  const allow = asked.buttons.find(({ label }) => label.includes("once"))!;
  const press = { chat: ADA.id, message: asked.id, token: allow.token, at: Date.now() };
  await telegram.deliver(first.bot, toPressUpdate(telegram.fake, first.bot, { ...press, from: EVE }));
  await telegram.deliver(first.bot, toPressUpdate(telegram.fake, first.bot, { ...press, from: ADA }));
  await waitFor(first.bot, "Cleaned.");
  await expect.poll(() => asked.buttons, { timeout: WAIT_MS }).toEqual([]);
});

test("a topic is a conversation of its own", async () => {
  await write(first.bot, { text: "/topic create Garden" });
  await expect.poll(() => [...telegram.fake.topics.values()], { timeout: WAIT_MS }).toContain("Garden");
  const [place] = [...telegram.fake.topics].find(([, name]) => name === "Garden")!;
  const thread = Number(place.split("/")[1]);
  await write(first.bot, { text: "In the garden", thread });
  expect(await waitFor(first.bot, "You said: In the garden")).toMatchObject({ thread });
  const read = model.requests.at(-1)!.filter(({ role }) => role === "user");
  expect(read.map(toWords).join("\n")).not.toContain("Hello again");
  await write(first.bot, { text: "Outside" });
  expect((await waitFor(first.bot, "You said: Outside")).thread).toBeUndefined();
});

test("an outage of the platform in the middle of an answer, and a kill in the middle of the outage, lose and repeat nothing", async () => {
  let refused = 0;
  telegram.fake.setFault((method, { text }) => {
    if (method !== "sendMessage" && method !== "editMessageText") return null;
    if (!String(text).includes("before the storm")) return null;
    refused++;
    return new Response("<html>Bad Gateway", { status: 503 });
  });
  const update = await write(first.bot, { text: "before the storm" });
  await expect.poll(() => refused, { timeout: WAIT_MS }).toBeGreaterThan(0);
  await stack.kill();
  telegram.fake.setFault(null);
  stack = await startStack({ stateDir, vars });
  await waitFor(first.bot, "You said: before the storm");
  // Telegram did not hear that the update was taken, and sends it again.
  await telegram.deliver(first.bot, update);
  await write(first.bot, { text: "after the storm" });
  await waitFor(first.bot, "You said: after the storm");
  expect(texts(first.bot).filter((text) => text.includes("You said: before the storm"))).toHaveLength(1);
});

test("a message that was taken just before a kill is answered once", async () => {
  await write(first.bot, { text: "one last thing" });
  await stack.kill();
  stack = await startStack({ stateDir, vars });
  await waitFor(first.bot, "You said: one last thing");
  expect(texts(first.bot).filter((text) => text.startsWith("You said: one last thing"))).toHaveLength(1);
});

test("two profiles on one platform never see each other", async () => {
  await call("PATCH", "/v1/channels/telegram", { options: { owners: [String(ADA.id)] } }, second.key);
  await write(second.bot, { text: "I am elsewhere" });
  await waitFor(second.bot, "You said: I am elsewhere");
  expect(texts(first.bot).join("\n")).not.toContain("elsewhere");
  const read = model.requests.at(-1)!.map(toWords).join("\n");
  expect(read).not.toContain("storm");
});

test("forged, stale and mis-addressed requests have one answer; a replayed one succeeds without effect", async () => {
  const bot = slack.fake.addBot("xoxb-1", "first-secret", "ONE");
  slack.fake.names.set("U1ADA", "Ada");
  await call("PUT", "/v1/channels/slack", {
    botToken: "xoxb-1",
    signingSecret: "first-secret",
    options: { owners: ["U1ADA"] },
  });
  await call("POST", "/v1/channels/slack/test", {});
  const post = async (address: string, request: { headers: Record<string, string>; body: Uint8Array }) => {
    const { headers, body } = request;
    const response = await fetch(`${stack.url}${address}`, { method: "POST", headers, body: body.slice() });
    return `${response.status} ${await response.text()}`;
  };
  const said = (text: string, ts: string) =>
    toWrittenBody(slack.fake, bot, slack.url, { user: "U1ADA", channel: "D1ADA", text, ts });
  const own = `/channels/slack/${first.profile}`;
  const body = said("Hello from Slack", "1800000000.000001");
  const genuine = signSlack("first-secret", body, { at: Date.now() });
  const update = toMessageUpdate(telegram.fake, { from: ADA, chat: ADA.id, text: "x", at: Date.now() }) as Update;
  const secret = { "x-telegram-bot-api-secret-token": first.bot.webhook!.secret_token! };
  const wrong = await Promise.all([
    post(own, signSlack("another", body, { at: Date.now() })),
    post(own, signSlack("first-secret", body, { at: Date.now() - 301_000 })),
    post(`/channels/slack/${second.profile}`, genuine),
    post("/channels/slack/00000000000000000000000000", genuine),
    post(`/channels/telegram/${second.profile}`, {
      headers: secret,
      body: new TextEncoder().encode(JSON.stringify(update)),
    }),
    post(`/channels/discord/${first.profile}`, genuine),
  ]);
  expect(new Set(wrong.map((answered) => answered.replaceAll(/"instance":"[^"]*"/g, "")))).toHaveProperty("size", 1);
  expect(wrong[0]).toMatch(/^401 /);

  expect(await post(own, genuine)).toMatch(/^200/);
  const answers = () => bot.messages.filter(({ text }) => text.includes("Hello from Slack")).length;
  await expect.poll(answers, { timeout: WAIT_MS }).toBe(1);
  const retry = { ...genuine.headers, "x-slack-retry-num": "1" };
  expect(await post(own, { ...genuine, headers: retry })).toMatch(/^200/);
  await post(own, signSlack("first-secret", said("Please clean up", "1800000001.000001"), { at: Date.now() }));
  const asked = () => bot.messages.find(({ buttons }) => buttons.length > 0);
  await expect.poll(() => asked()?.text, { timeout: WAIT_MS }).toContain("echo cleaned");
  const { ts, buttons } = asked()!;
  const press = { user: "U1ADA", channel: "D1ADA", message: ts, event: "p1" };
  const token = buttons.find(({ label }) => label.includes("once"))!.token;
  await post(own, signSlack("first-secret", toPressBody(bot, slack.url, { ...press, token }), { at: Date.now() }));
  await expect.poll(() => bot.messages.map(({ text }) => text), { timeout: WAIT_MS }).toContain("Cleaned.");
  expect(answers()).toBe(1);
});
