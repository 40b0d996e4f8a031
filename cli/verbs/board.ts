// `talaria board`: the cards of a board. What is done with a card has a row in the table that the agent's tool and `/board` read too
// (core/commands/board/board-words.ts), and one action here.
import { renderCard, renderLine, renderStats } from "../../core/commands/board/render-board.ts";
import {
  ACTION_WORDS,
  findCardId,
  readAction,
  readAssignee,
  showAssignee,
  showAuthor,
} from "../../core/commands/board/board-words.ts";
import {
  BoardStatsInfo,
  type CardAction,
  CardDetail,
  CardEventList,
  type CardLine,
  CardList,
} from "../../core/schemas/board/card-api.ts";
import { type Assignee, Card, type CardEvent, CardStatus, DEFAULT_BOARD } from "../../core/schemas/board/card.ts";
import { CardComment } from "../../core/schemas/board/log.ts";
import { PAGE_FLAGS, YES_FLAG } from "../command-line/flags.ts";
import { showList } from "../command-line/pages.ts";
import {
  type Action,
  type FlagValues,
  type Flags,
  type Verb,
  readChoice,
  textFlag,
  textFlags,
} from "../command-line/verb.ts";
import { type Client, ProblemError } from "../connection/client.ts";
import { UsageError } from "../connection/connection.ts";
import type { Column } from "../output/table.ts";
import { formatTime } from "../output/times.ts";

const BOARD_FLAG = {
  board: { type: "string", value: "NAME", help: `the board (default: ${DEFAULT_BOARD})` },
} as const satisfies Flags;
const FOR_FLAG: Flags = { for: { type: "string", value: "ASSIGNEE", help: "a role, @NAME (a person) or - (nobody)" } };

const LINE: Column<CardLine>[] = [
  { title: "card", cell: ({ id }) => id },
  { title: "status", cell: ({ status, block }) => (block ? `${status}: ${block.kind}` : status) },
  { title: "for", cell: ({ assignee }) => showAssignee(assignee) },
  { title: "changed", cell: ({ changedAt }) => formatTime(changedAt) },
  { title: "title", cell: ({ title }) => title, shrinks: true },
];

const EVENT: Column<CardEvent>[] = [
  { title: "n", cell: ({ n }) => n },
  { title: "when", cell: ({ at }) => formatTime(at) },
  { title: "card", cell: ({ card }) => card },
  { title: "what", cell: ({ kind }) => kind },
  { title: "by", cell: ({ author }) => showAuthor(author), shrinks: true },
];

const NO_CARD = "There is no card. `talaria board create TITLE` makes one.";

export const board: Verb = {
  name: "board",
  help: "list cards, make them, and do something with them",
  actions: [
    {
      name: "list",
      help: "the cards that are not archived, newest first",
      flags: {
        status: { type: "string", value: "STATUS", help: "only these; archived too" },
        ...FOR_FLAG,
        label: { type: "string", value: "WORD", help: "only with this label" },
        ...BOARD_FLAG,
        ...PAGE_FLAGS,
      },
      run(call) {
        const who = readFor(call.flags);
        if (who === null) throw new UsageError("--for takes a role or @NAME here.");
        const isFiltered = ["status", "for", "label"].some((name) => call.flags[name] !== undefined);
        const listing = {
          schema: CardList,
          route: "GET /v1/boards/{board}/cards" as const,
          field: "cards",
          itemsOf: (answer: CardList) => answer.cards,
          params: boardOf(call.flags),
          query: {
            status: readChoice(call.flags, "status", CardStatus),
            ...(who && ("role" in who ? { role: who.role } : { person: who.person })),
            label: textFlag(call.flags, "label"),
          },
          columns: LINE,
          empty: isFiltered ? "There is no such card." : NO_CARD,
        };
        // The board is made with its first card.
        return showList(call, listing).catch((error: unknown) => {
          const isNew = error instanceof ProblemError && error.problem.code === "board_not_found";
          if (!isNew || listing.params.board !== DEFAULT_BOARD) throw error;
          if (call.json) call.output.json({ cards: [] });
          else call.output.note(NO_CARD);
        });
      },
    },
    {
      name: "show",
      words: "CARD",
      help: "a card with its text, comments, runs and attachments",
      flags: BOARD_FLAG,
      async run({ words, flags, json, output, client }) {
        const api = client();
        const params = await findCard(api, flags, words[0]!);
        const detail = await api.call(CardDetail, "GET /v1/boards/{board}/cards/{card}", { params });
        if (json) output.json(detail);
        else output.text(renderCard(detail));
      },
    },
    {
      name: "create",
      words: "TITLE...",
      help: "make a card; a session works on it when it is ready and not a person's",
      flags: {
        body: { type: "string", value: "TEXT", help: "what is to be done, in Markdown" },
        ...FOR_FLAG,
        parent: { type: "string", multiple: true, value: "CARD", help: "a card that must be done first" },
        priority: { type: "string", value: "N", help: "higher first (default: 0)" },
        label: { type: "string", value: "WORD", help: "to find it by" },
        triage: { type: "boolean", help: "it waits until it is specified, decomposed or promoted" },
        ...BOARD_FLAG,
      },
      async run({ words, flags, json, output, client }) {
        const api = client();
        const parents: string[] = [];
        for (const word of textFlags(flags, "parent")) parents.push((await findCard(api, flags, word)).card);
        const [assignee, body, label] = [readFor(flags), textFlag(flags, "body"), textFlag(flags, "label")];
        const priority = readPriority(flags);
        const card = await api.call(Card, "POST /v1/boards/{board}/cards", {
          params: boardOf(flags),
          body: {
            title: words.join(" "),
            ...(body !== undefined && { body }),
            ...(assignee !== undefined && { assignee }),
            ...(parents.length > 0 && { parents }),
            ...(priority !== undefined && { priority }),
            ...(label !== undefined && { label }),
            ...(flags.triage === true && { triage: true }),
          },
        });
        if (json) output.json(card);
        else output.text(renderLine(card));
      },
    },
    {
      name: "comment",
      words: "CARD TEXT...",
      help: "say something on a card; who works on it next reads it as your word",
      flags: BOARD_FLAG,
      async run({ words: [word = "", ...text], flags, json, output, client }) {
        const api = client();
        const params = await findCard(api, flags, word);
        const body = { text: text.join(" ") };
        const said = await api.call(CardComment, "POST /v1/boards/{board}/cards/{card}/comments", { params, body });
        if (json) output.json(said);
        else output.note(`Said on ${params.card}.`);
      },
    },
    ...(Object.keys(ACTION_WORDS) as CardAction[]).map(toAction),
    {
      name: "stats",
      help: "how many cards there are, by status and by assignee",
      flags: BOARD_FLAG,
      async run({ flags, json, output, client }) {
        const stats = await client().call(BoardStatsInfo, "GET /v1/boards/{board}/stats", { params: boardOf(flags) });
        if (json) output.json(stats);
        else output.text(renderStats(stats));
      },
    },
    {
      name: "watch",
      help: "what happened on the board, oldest first; --after goes on there",
      flags: { ...BOARD_FLAG, ...PAGE_FLAGS },
      run: (call) =>
        showList(call, {
          schema: CardEventList,
          route: "GET /v1/boards/{board}/events",
          field: "events",
          itemsOf: (answer) => answer.events,
          params: boardOf(call.flags),
          columns: EVENT,
          empty: "Nothing has happened since.",
        }),
    },
    {
      name: "delete",
      words: "CARD",
      help: "delete it with its comments, runs and attachments, for ever",
      flags: { ...BOARD_FLAG, ...YES_FLAG },
      async run({ words, flags, json, output, client }) {
        const api = client();
        const params = await findCard(api, flags, words[0]!);
        if (!(await output.confirm(`Delete the card ${params.card}?`, flags.yes === true))) return;
        await api.send("DELETE /v1/boards/{board}/cards/{card}", { params });
        if (json) output.json({ card: params.card, deleted: true });
        else output.note(`${params.card} is deleted.`);
      },
    },
  ],
};

/** An action on a card, as its row in the table says. */
function toAction(name: CardAction): Action {
  const { words, help } = ACTION_WORDS[name];
  const usage = `CARD ${words}`.trim();
  return {
    name,
    words: usage,
    help,
    flags: BOARD_FLAG,
    async run({ words: [word = "", ...rest], flags, json, output, client }) {
      const asked = readAction(name, rest.join(" "));
      if (!asked.ok) throw new UsageError(`${asked.failure.message} Write it as \`talaria board ${name} ${usage}\`.`);
      const { action, ...body } = asked.value;
      const api = client();
      const params = await findCard(api, flags, word);
      const route = `POST /v1/boards/{board}/cards/{card}/${action}` as const;
      const card = await api.call(Card, route, { params, body: body as never });
      if (json) output.json(card);
      else output.text(renderLine(card));
    },
  };
}

function boardOf(flags: FlagValues): { board: string } {
  return { board: textFlag(flags, "board") ?? DEFAULT_BOARD };
}

/** By its id, or by the first letters of it. */
async function findCard(api: Client, flags: FlagValues, word: string): Promise<{ board: string; card: string }> {
  const params = boardOf(flags);
  const id = await findCardId(word, () =>
    api.list(CardList, "GET /v1/boards/{board}/cards", (answer) => answer.cards, { params }).then(({ items }) => items),
  );
  if (!id.ok) throw new UsageError(id.failure.message);
  return { ...params, card: id.value };
}

/** `undefined`: the flag was not given. */
function readFor(flags: FlagValues): Assignee | null | undefined {
  const word = textFlag(flags, "for");
  if (word === undefined) return undefined;
  const who = readAssignee(word);
  if (who === undefined) throw new UsageError(`--for takes a role, @NAME or -, not ${JSON.stringify(word)}.`);
  return who;
}

function readPriority(flags: FlagValues): number | undefined {
  const text = textFlag(flags, "priority");
  if (text === undefined) return undefined;
  if (/^-?\d{1,4}$/.test(text)) return Number(text);
  throw new UsageError(`--priority takes a whole number, not ${JSON.stringify(text)}.`);
}
