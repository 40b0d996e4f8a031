// `talaria sessions`: list, show, rename, delete, and a transcript as text.
import { type SessionInfo, SessionList, type TurnInfo } from "../../core/schemas/api.ts";
import { PAGE_FLAGS, YES_FLAG } from "../command-line/flags.ts";
import { showList } from "../command-line/pages.ts";
import type { Column } from "../output/table.ts";
import { formatTime } from "../output/times.ts";
import { renderTranscript } from "../output/transcript.ts";
import { type Verb, textFlag } from "../command-line/verb.ts";
import { writeResult } from "../output/write-file.ts";
import { count } from "../show.ts";

const LINE: Column<SessionInfo>[] = [
  { title: "session", cell: ({ session }) => session },
  { title: "begun", cell: ({ createdAt }) => formatTime(createdAt) },
  { title: "kind", cell: ({ kind = "chat", learning }) => (learning === "off" ? `${kind}, no learning` : kind) },
  { title: "title", cell: ({ title }) => title, shrinks: true },
];

const TURN: Column<TurnInfo>[] = [
  { title: "turn", cell: ({ n }) => n },
  { title: "began", cell: ({ startedAt }) => formatTime(startedAt) },
  { title: "state", cell: ({ state, parked }) => (parked ? `${state}: ${parked.for}` : state) },
  { title: "why", cell: ({ reason = "" }) => reason, shrinks: true },
  { title: "calls", cell: ({ stats }) => stats.modelCalls },
  { title: "tools", cell: ({ stats }) => stats.toolCalls },
];

export const sessions: Verb = {
  name: "sessions",
  help: "list, show, rename, delete or write out conversations",
  actions: [
    {
      name: "list",
      help: "all sessions, newest first",
      flags: PAGE_FLAGS,
      run: (call) =>
        showList(call, {
          schema: SessionList,
          route: "GET /v1/sessions",
          field: "sessions",
          itemsOf: (answer) => answer.sessions,
          columns: LINE,
          empty: "There is no session yet.",
        }),
    },
    {
      name: "show",
      words: "SESSION",
      help: "one session and its turns",
      async run({ words, json, output, client }) {
        const detail = await client().session(words[0]!);
        if (json) return output.json(detail);
        const { session, title, state, usage, backend, model, effort } = detail;
        output.text(
          `${title || "(no title)"}\n${session}, begun ${formatTime(detail.createdAt)}, ${state}, ${backend}`,
        );
        output.text(`model ${model ?? "default"}, reasoning ${effort ?? "default"}, learning ${detail.learning}`);
        output.text(
          `${count(usage.calls, "model call")}, ${count(usage.tokens, "token")}, $${usage.usd.toFixed(4)}\n\n`,
        );
        output.table(detail.turns, TURN, "It has no turn yet.");
      },
    },
    {
      name: "rename",
      words: "SESSION TITLE...",
      help: "give it another title",
      async run({ words: [session = "", ...title], json, output, client }) {
        const changed = await client().changeSession(session, { title: title.join(" ") });
        if (json) output.json(changed);
        else output.note(`${session} is now: ${changed.title}`);
      },
    },
    {
      name: "delete",
      words: "SESSION",
      help: "delete it, with its files and its messages in the search, for ever",
      flags: YES_FLAG,
      async run({ words: [session = ""], flags, json, output, client }) {
        if (!(await output.confirm(`Delete session ${session}?`, flags.yes === true))) return;
        const { status } = await client().deleteSession(session);
        if (json) output.json({ session, deleted: true, pending: status === 202 });
        else output.note(`${session} is deleted.`);
      },
    },
    {
      name: "export",
      words: "SESSION",
      help: "the conversation as Markdown; with --json its log",
      flags: { output: { type: "string", short: "o", value: "FILE", help: "write it there instead of to stdout" } },
      async run({ words: [session = ""], flags, json, output, client }) {
        const api = client();
        const [detail, entries] = await Promise.all([api.session(session), api.entries(session)]);
        if (json) return output.json({ session: detail, entries });
        await writeResult(output, textFlag(flags, "output"), renderTranscript(detail, entries));
      },
    },
  ],
};
