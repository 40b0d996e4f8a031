// What the commands of a channel do, over the profile's sessions, stores and account: the ports of core/channels/commands. Made for one event.
import { ulid } from "ulid";
import { headOf, toOneLine } from "../../core/clip.ts";
import type { ChannelCommandPorts } from "../../core/channels/commands/command-ports.ts";
import { toSnippet } from "../../core/archive/messages/message-snippets.ts";
import { toQueryWords } from "../../core/archive/messages/message-words.ts";
import { type Result, err, ok } from "../../core/errors.ts";
import { readLedger } from "../../core/learning/ledger/read-ledger.ts";
import type { SessionInfo } from "../../core/schemas/api.ts";
import type { ChannelOptions } from "../../core/schemas/channels/options.ts";
import { DAY_MS, type SessionId, dayOf } from "../../core/schemas/ids.ts";
import { sha256Hex } from "../../core/schemas/learning/digest.ts";
import { MemoryStoreName } from "../../core/schemas/memory.ts";
import { copyBranch } from "../../core/session/branch/copy-branch.ts";
import { createLibrary } from "../../core/skills/library.ts";
import { seeds } from "../../skills-seed/index.ts";
import * as stores from "../../wiring/stores.ts";
import { leaveSession } from "./begin-session.ts";
import { postAndFollow } from "./carry-event.ts";
import { type ChannelsContext, openArchive } from "./context.ts";
import type { CarryDeps, HeardMessage } from "./heard.ts";

const USAGE_DAYS = 30;
const MAX_FOUND = 5;
const SNIPPET_CHARS = 240;

const NO_SESSION = err("session_not_found", "This chat has no session yet. Write a message first.");

export function createCommandPorts(
  context: ChannelsContext,
  deps: CarryDeps,
  heard: HeardMessage,
): ChannelCommandPorts {
  const { env, profile, chats, account, clock } = context;
  const { platform, channel, chat: heardChat, event } = heard;
  const { id } = heardChat;
  const current = () => chats.find(id)?.session ?? null;
  const client = platform.open(channel);
  const scope = () => ({ bucket: stores.openBucket(env.SKILLS), profile, settings: context.settings() });
  const setOptions = (change: (options: ChannelOptions) => ChannelOptions) => {
    const row = context.channels.find(platform.name);
    if (row) context.channels.change(platform.name, row.channel.savedAt, { options: change(row.channel.options) });
  };
  const usage = async (asked: { from: string; to: string; by: "day" | "kind" }) => {
    const report = await account.usage(asked);
    if (!report) throw new Error("the profile was deleted");
    return report;
  };

  async function findSession(session: SessionId): Promise<Result<SessionInfo>> {
    const [info] = await account.findSessions([session]);
    return info ? ok(info) : err("session_not_found", `There is no session ${session}. /sessions lists them.`);
  }

  async function bind(session: SessionId): Promise<Result<SessionInfo>> {
    const info = await findSession(session);
    if (!info.ok) return info;
    if (chats.ofSession(session).some((chat) => chat.id !== id)) {
      return err("session_elsewhere", "Another chat goes on with this session. Use it there, or /branch it there.");
    }
    context.sql.transaction(() => {
      if (current() !== session) chats.countBegun(id);
      chats.bind(id, session);
    });
    return info;
  }

  return {
    async session() {
      const session = current();
      return session === null ? null : context.session(session).detail();
    },
    async begin() {
      // A repetition of the same event finds the chat without a session, or with the one that a later message began.
      if (current() !== null) leaveSession(context, id);
      return ok(null);
    },
    resume: bind,
    async branch(turn) {
      const from = current();
      if (from === null) return NO_SESSION;
      const key = `channel-${sha256Hex(`branch\n${platform.name}\n${event.id}`)}`;
      const source = context.session(from);
      const asked = { ...(turn !== undefined && { turn }), key, session: ulid(), at: clock.now() };
      const plan = await source.planBranch(asked);
      if (!plan.ok) return plan;
      const { session, title, learning, createdAt, origins: branchedFrom } = plan.value;
      if (!(await account.registerSession({ session, title, learning, createdAt, branchedFrom }))) return NO_SESSION;
      const copied = await copyBranch(source, context.session(session), plan.value);
      if (!copied.ok) {
        await account.eraseSession(session);
        return copied;
      }
      return bind(session);
    },
    async stop() {
      const session = current();
      const stopped = session === null ? null : await context.session(session).stop();
      return stopped?.ok ? stopped.value.stopped.length : 0;
    },
    async post(text, busy) {
      await postAndFollow(context, deps, heard, { text, ...(busy && { busy }) });
      return ok(null);
    },

    async listSessions(of, limit) {
      if (of === "profile") return account.listSessions({ limit });
      const had = chats.sessionsOf(id);
      const infos = await account.findSessions(had);
      return infos.toSorted((a, b) => b.createdAt - a.createdAt).slice(0, limit);
    },
    async usage() {
      const now = clock.now();
      return (await usage({ from: dayOf(now - (USAGE_DAYS - 1) * DAY_MS), to: dayOf(now), by: "day" })).totals;
    },
    async search(words) {
      const { found } = await openArchive(env, profile).searchMessages({
        ...{ query: headOf(words, 1_000), limit: MAX_FOUND, roles: ["user", "assistant"] },
      });
      const infos = await account.findSessions([...new Set(found.map(({ session }) => session))]);
      const titles = new Map(infos.map(({ session, title }) => [session, title]));
      const queried = toQueryWords(words);
      return found.flatMap(({ session, role, at, text }) => {
        const title = titles.get(session);
        if (title === undefined) return []; // deleted a moment ago
        const snippet = toSnippet(toOneLine(text), queried, SNIPPET_CHARS);
        const highlights = snippet.highlights.map(([from, to]) => ({ from, to }));
        return [{ session, title, role, at, snippet: { text: snippet.text, highlights } }];
      });
    },
    async listSkills() {
      const lines = await createLibrary({ store: stores.openSkillStore(scope()), seeds }).lines();
      return lines.map(({ name, description, state }) => ({ name, description, state }));
    },
    async readSkill(name) {
      const library = createLibrary({ store: stores.openSkillStore(scope()), seeds });
      const view = await library.view(name);
      return view.ok ? view.value.content : null;
    },
    async listMemory() {
      const memory = stores.openMemoryStore(env.MEMORY, scope());
      const surveys = await Promise.all(
        MemoryStoreName.options.map(async (store) =>
          (await memory.survey(store)).entries.map((entry) => ({ store, entry })),
        ),
      );
      return surveys.flat().map(({ store, entry }) => ({ store, text: entry.text }));
    },
    async learning() {
      const place = scope();
      const ledger = await readLedger(
        {
          ...{ profile, usage, archive: openArchive(env, profile), rules: place.settings.learning },
          ...{ skills: stores.openSkillStore(place), evidence: stores.openEvidenceStore(place) },
          ...{ reviews: stores.openReviewStore(place), pending: stores.openPendingStore(place) },
          curation: stores.openCurationStore(place),
        },
        { now: clock.now() },
      );
      if (!ledger.ok) throw new Error(ledger.failure.message);
      return ledger.value;
    },

    async setHome() {
      deps.setHome(platform.name, id);
    },
    async setListening(listen) {
      const of = event.chat.id;
      setOptions((options) => ({
        ...options,
        chats: { ...options.chats, [of]: { ...(Object.hasOwn(options.chats, of) && options.chats[of]), listen } },
      }));
    },
    ...(client.openThread && { openThread: (title: string) => client.openThread!(heardChat.address, title) }),
    ...(client.renameThread && { renameThread: (title: string) => client.renameThread!(heardChat.address, title) }),
  };
}
