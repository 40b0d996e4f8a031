// Slack's Web API as one function, with the channels, files and messages behind it. Real enough that @slack/web-api drives it over HTTP
// (start-fake-slack.ts) and that channels/slack.ts is judged by it. Several bots share the channels, as in a workspace.
import { Buffer } from "node:buffer";
import type { SentFile } from "../fixture.ts";

export interface FakeSlackMessage {
  ts: string;
  channel: string;
  thread?: string;
  text: string;
  buttons: { label: string; token: string }[];
  /** Its texts from the first one on. */
  history: string[];
}

export interface FakeSlackBot {
  token: string;
  signingSecret: string;
  app: string;
  user: string;
  bot: string;
  name: string;
  messages: FakeSlackMessage[];
  files: SentFile[];
  statuses: number;
  /** What was sent to addresses that answer a command or a press. */
  responses: { text: string; [field: string]: unknown }[];
}

type Parameters = Record<string, unknown>;
type Method = (parameters: Parameters, bot: FakeSlackBot) => object;
/** Answers in place of the server; `null`: it does not. */
export type SlackFault = (
  method: string,
  parameters: Parameters,
  bot: FakeSlackBot,
) => Response | Promise<Response> | null;
export type FakeSlack = ReturnType<typeof createFakeSlack>;

const MAX_TEXT = 40_000;
const MAX_SECTION = 3_000;
export const TEAM = "T0GARDEN01";

/** `origin`: where the server is reached, for the addresses that it names. */
export function createFakeSlack(origin: () => string, now: () => number = Date.now) {
  const bots = new Map<string, FakeSlackBot>();
  const names = new Map<string, string>();
  const files = new Map<string, { name: string; mediaType: string; bytes: Uint8Array }>();
  const uploads = new Map<string, { name: string; bytes: Uint8Array | null }>();
  /** Channels that the bots are not members of. */
  const closed = new Set<string>();
  let fault: SlackFault | null = null;
  let count = 100;

  function nextTs(): string {
    return `${Math.floor(now() / 1_000)}.${String(++count).padStart(6, "0")}`;
  }

  const methods: Record<string, Method> = {
    "auth.test": (_, { user, name, bot }) => ({
      ...{ url: "https://garden.slack.com/", team: "Garden", team_id: TEAM },
      ...{ user, user_id: user, bot_id: bot, is_enterprise_install: false },
      user: name,
    }),
    "users.info": ({ user }) => {
      const name = names.get(String(user));
      if (name === undefined) return no("user_not_found");
      return { user: { id: user, name: name.toLowerCase(), real_name: name, profile: { display_name: name } } };
    },
    "conversations.open": ({ users }) => ({ channel: { id: directChannel(String(users)) } }),
    "chat.postMessage": (parameters, bot) => {
      const said = readContent(parameters);
      if ("error" in said) return said;
      const channel = String(parameters["channel"]);
      if (closed.has(channel)) return no("not_in_channel");
      if (!/^[CDG][A-Z0-9]+$/.test(channel)) return no("channel_not_found");
      const thread = parameters["thread_ts"];
      const message: FakeSlackMessage = {
        ...{ ts: nextTs(), channel, ...said, history: [said.text] },
        ...(typeof thread === "string" && { thread }),
      };
      bot.messages.push(message);
      return { channel, ts: message.ts, message: { text: said.text, user: bot.user, bot_id: bot.bot } };
    },
    "chat.update": (parameters, bot) => {
      const message = bot.messages.find(
        ({ ts, channel }) => ts === parameters["ts"] && channel === parameters["channel"],
      );
      if (!message) return no("message_not_found");
      const said = readContent(parameters);
      if ("error" in said) return said;
      // Blocks that are not named stay.
      if (parameters["blocks"] === undefined) said.buttons = message.buttons;
      Object.assign(message, said);
      message.history.push(said.text);
      return { channel: message.channel, ts: message.ts, text: said.text };
    },
    "assistant.threads.setStatus": ({ channel_id, thread_ts, status }, bot) => {
      if (typeof channel_id !== "string" || typeof thread_ts !== "string" || typeof status !== "string") {
        return no("invalid_arguments");
      }
      bot.statuses++;
      return {};
    },
    "files.getUploadURLExternal": ({ filename, length }) => {
      if (typeof filename !== "string" || !(Number(length) > 0)) return no("invalid_arguments");
      const id = `F${++count}`;
      uploads.set(id, { name: filename, bytes: null });
      return { upload_url: `${origin()}/upload/${id}`, file_id: id };
    },
    "files.completeUploadExternal": ({ files: done, channel_id, channels, thread_ts }, bot) => {
      const channel = String(channel_id ?? channels);
      for (const { id } of done as { id: string }[]) {
        const upload = uploads.get(id);
        if (!upload?.bytes) return no("file_not_found");
        const thread = typeof thread_ts === "string" ? { thread: thread_ts } : {};
        bot.files.push({ chat: channel, ...thread, name: upload.name, bytes: upload.bytes });
      }
      return { files: done };
    },
    "files.info": ({ file }) => {
      const found = files.get(String(file));
      if (!found) return no("file_not_found");
      return { file: { id: file, url_private_download: `${origin()}/files-pri/${String(file)}` } };
    },
  };

  function readContent(
    parameters: Parameters,
  ): Pick<FakeSlackMessage, "text" | "buttons"> | { ok: false; error: string } {
    const { text = "", blocks = [] } = parameters as { text?: string; blocks?: Block[] };
    if (text === "" && blocks.length === 0) return no("no_text");
    if (text.length > MAX_TEXT) return no("msg_too_long");
    const sections = blocks.filter(({ type }) => type === "section");
    if (sections.some((section) => (section.text?.text.length ?? 0) > MAX_SECTION)) return no("invalid_blocks");
    const elements = blocks.filter(({ type }) => type === "actions").flatMap((block) => block.elements ?? []);
    if (new Set(elements.map(({ action_id }) => action_id)).size < elements.length) return no("invalid_blocks");
    return { text, buttons: elements.map((element) => ({ label: element.text.text, token: element.value })) };
  }

  async function serveRest(path: string, body: Uint8Array, headers: Headers): Promise<Response> {
    const [, kind = "", id = ""] = /^\/(upload|files-pri|respond)\/([\w-]+)$/.exec(path) ?? [];
    if (kind === "upload") {
      const upload = uploads.get(id);
      if (!upload) return new Response("no such upload", { status: 404 });
      upload.bytes = await readUpload(headers, body);
      return new Response(`OK - ${upload.bytes.length}`);
    }
    if (kind === "respond") {
      const bot = [...bots.values()].find(({ app }) => app === id);
      bot?.responses.push(JSON.parse(new TextDecoder().decode(body)) as FakeSlackBot["responses"][number]);
      return new Response("ok", { status: bot ? 200 : 404 });
    }
    const file = files.get(id);
    if (!file) return new Response("Not Found", { status: 404 });
    // To who is not signed in, Slack shows the page for that.
    if (!findBot(headers))
      return new Response("<html>Sign in", { headers: { "content-type": "text/html; charset=utf-8" } });
    return new Response(file.bytes.slice(), { headers: { "content-type": file.mediaType } });
  }

  function findBot(headers: Headers): FakeSlackBot | undefined {
    return bots.get(/^Bearer (.+)$/.exec(headers.get("authorization") ?? "")?.[1] ?? "");
  }

  return {
    bots,
    names,
    closed,
    nextTs,
    addFile(file: { name: string; mediaType: string; bytes: Uint8Array }): string {
      const id = `F${++count}`;
      files.set(id, file);
      return id;
    },
    /** `word`: part of the bot's ids. */
    addBot(token: string, signingSecret: string, word: string): FakeSlackBot {
      const ids = { app: `A${word}`, user: `U${word}`, bot: `B${word}`, name: word.toLowerCase() };
      const bot: FakeSlackBot = { token, signingSecret, ...ids, messages: [], files: [], statuses: 0, responses: [] };
      bots.set(token, bot);
      return bot;
    },
    setFault: (next: SlackFault | null) => void (fault = next),
    /** `path`: below `https://slack.com` or in its place. Methods are below `/api`. */
    async serve(path: string, init: { headers: Headers; body: Uint8Array }): Promise<Response> {
      const { pathname } = new URL(path, "http://slack");
      if (!pathname.startsWith("/api/")) return serveRest(pathname, init.body, init.headers);
      const bot = findBot(init.headers);
      if (!bot) return Response.json(no("invalid_auth"));
      const method = pathname.slice("/api/".length);
      const parameters = readParameters(init.headers, init.body);
      const answer = await fault?.(method, parameters, bot);
      if (answer) return answer;
      return Response.json({ ok: true, ...(methods[method]?.(parameters, bot) ?? no("unknown_method")) });
    },
  };
}

/** The chat of one person with the bot. */
export function directChannel(user: string): string {
  return `D${user.slice(1)}`;
}

interface Block {
  type: string;
  text?: { text: string };
  elements?: { text: { text: string }; value: string; action_id: string }[];
}

function no(error: string): { ok: false; error: string } {
  return { ok: false, error };
}

function readParameters(headers: Headers, body: Uint8Array): Parameters {
  const text = new TextDecoder().decode(body);
  if (headers.get("content-type")?.startsWith("application/json")) return JSON.parse(text) as Parameters;
  const fields = [...new URLSearchParams(text)].map(([name, value]) => [
    name,
    /^[[{]/.test(value) ? (JSON.parse(value) as unknown) : value,
  ]);
  return Object.fromEntries(fields) as Parameters;
}

/** The client library uploads a form, others the bytes themselves. */
async function readUpload(headers: Headers, body: Uint8Array): Promise<Uint8Array> {
  const type = headers.get("content-type") ?? "";
  if (!type.startsWith("multipart/form-data")) return body;
  const form = await new Response(Buffer.from(body), { headers: { "content-type": type } }).formData();
  for (const value of form.values()) if (value instanceof File) return new Uint8Array(await value.arrayBuffer());
  return body;
}
