// `/board`: a person looks at the profile's boards and does something with their cards. Called by run-command.ts. The operation id is made from the
// command's turn, so that a command that is repeated after a crash changes nothing twice. Nothing of its answers is read by a model.
import type { BoardCalls } from "../../board/board-calls.ts";
import type { CardFilter, Call, NewCard } from "../../board/contract.ts";
import { performAction } from "../../board/perform-action.ts";
import {
  renderBoardHelp,
  renderCard,
  renderCards,
  renderLine,
  renderStats,
} from "../../commands/board/render-board.ts";
import {
  ACTION_WORDS,
  describeIssue,
  findCardId,
  isCardAction,
  readAction,
  readAssignee,
  readOptions,
  splitWord,
} from "../../commands/board/board-words.ts";
import { type Result, err, ok } from "../../errors.ts";
import { AddComment, CreateCard } from "../../schemas/board/card-api.ts";
import { BoardName, type CardId, CardStatus, DEFAULT_BOARD } from "../../schemas/board/card.ts";
import { toTurnId } from "../../schemas/ids.ts";
import type { EngineContext } from "../context.ts";
import type { TurnRow } from "../log-turns.ts";
import { markProfileSettingsOutdated, profileSettings } from "../prompt/profile-settings.ts";
import type { NoticeEnding } from "../turn/endings.ts";

interface BoardCommand {
  board: BoardCalls;
  call: Call;
  options: Record<string, string>;
  text: string;
}

const MAX_LISTED = 50;
/** Where a card is looked for by the beginning of its id. */
const MAX_SEARCHED = 200;

type Answered = Promise<Result<string>>;
const OWN: Record<string, (command: BoardCommand) => Answered> = { list, show, create, comment, stats };

export async function runBoard(
  { context, turn }: { context: EngineContext; turn: TurnRow },
  argument: string,
): Promise<NoticeEnding> {
  const { board: port, session } = context.host;
  if (!port || context.meta().kind !== undefined)
    return refuse("board_not_here", "Only a chat has the command /board.");
  const [word = "", after] = splitWord(argument);
  if (word === "help") return say(renderBoardHelp("/board"));
  const name = word === "" ? "list" : word;
  const { options, text } = readOptions(after);
  const board = BoardName.safeParse(options.board ?? DEFAULT_BOARD);
  if (!board.success) return refuse("bad_card_action", describeIssue(board.error));
  const author: Call["author"] =
    turn.more.source === "content" ? { by: "person", name: "a person of the chat" } : { by: "owner" };
  const call = { author, op: `command:${toTurnId(session, turn.n)}` };
  const command = { board: port.open(board.data), call, options, text };
  const answer = await (Object.hasOwn(OWN, name) ? OWN[name]!(command) : act(name, command));
  if (answer.ok) {
    const isNew = !Object.hasOwn(profileSettings(context).sections.boards, board.data);
    return { ...say(answer.value), ...(isNew && { also: () => markProfileSettingsOutdated(context) }) };
  }
  const { code, message } = answer.failure;
  if (code !== "board_not_found") return refuse(code, message);
  const how =
    board.data === DEFAULT_BOARD ? "`/board create TITLE` makes it." : "Its owner makes it with PUT /v1/boards.";
  return refuse(code, `There is no board '${board.data}'. ${how}`);
}

/** What is done with a card. */
async function act(name: string, { board, call, text }: BoardCommand): Answered {
  if (!isCardAction(name))
    return err(
      "bad_card_action",
      `There is no \`/board ${name.slice(0, 40).toWellFormed()}\`. /board help lists what there is.`,
    );
  const [word, rest] = splitWord(text);
  const id = await findCard(board, word);
  if (!id.ok) return id;
  const asked = readAction(name, rest);
  if (!asked.ok) return err(asked.failure.code, `${asked.failure.message} Write it as ${usageOf(name)}.`);
  const done = await performAction(board, call, id.value, asked.value);
  return done.ok ? ok(renderLine(done.value.card)) : done;
}

async function list({ board, options, text }: BoardCommand): Answered {
  const status = text === "" ? undefined : CardStatus.safeParse(text);
  const assignee = options.for === undefined ? undefined : readAssignee(options.for);
  if (options.for !== undefined && !assignee) return err("bad_card_action", "Write for=ROLE or for=@NAME.");
  if (status?.success === false) return err("bad_card_action", `A status is ${CardStatus.options.join(", ")}.`);
  const filter: CardFilter = {
    limit: MAX_LISTED,
    ...(status && { status: status.data }),
    ...(assignee && { assignee }),
    ...(options.label !== undefined && { label: options.label }),
    ...(/^\d{1,9}$/.test(options.before ?? "") && { before: Number(options.before) }),
  };
  const page = await board.list(filter);
  return page.ok ? ok(renderCards(page.value, "/board list before=")) : page;
}

async function show({ board, text }: BoardCommand): Answered {
  const id = await findCard(board, text);
  if (!id.ok) return id;
  const shown = await board.show(id.value);
  return shown.ok ? ok(renderCard(shown.value)) : shown;
}

/** The first line is the title, the rest the body. */
async function create({ board, call, options, text }: BoardCommand): Answered {
  const [title = "", ...body] = text.split("\n");
  const parents: CardId[] = [];
  for (const word of options.parent?.split(",") ?? []) {
    const id = await findCard(board, word);
    if (!id.ok) return id;
    parents.push(id.value);
  }
  const card = CreateCard.safeParse({
    title: title.trim(),
    ...(body.length > 0 && { body: body.join("\n").trim() }),
    ...(options.for !== undefined && { assignee: readAssignee(options.for) ?? options.for }),
    ...(options.priority !== undefined && { priority: Number(options.priority) }),
    ...(options.label !== undefined && { label: options.label }),
    ...(parents.length > 0 && { parents }),
  });
  const how =
    "Write it as `/board create [for=ROLE] [parent=CARD] [priority=N] [label=WORD] TITLE`; more lines are its text.";
  if (!card.success) return err("bad_card_action", `${describeIssue(card.error)} ${how}`);
  const made = await board.create(call, card.data as NewCard);
  return made.ok ? ok(renderLine(made.value.card)) : made;
}

async function comment({ board, call, text: argument }: BoardCommand): Answered {
  const [word, text] = splitWord(argument);
  const id = await findCard(board, word);
  if (!id.ok) return id;
  const given = AddComment.safeParse({ text });
  if (!given.success) return err("bad_card_action", "Write it as `/board comment CARD TEXT`.");
  const said = await board.comment(call, id.value, given.data.text);
  return said.ok ? ok(`Said on ${id.value}.`) : said;
}

async function stats({ board }: BoardCommand): Answered {
  const counted = await board.stats();
  return counted.ok ? ok(renderStats(counted.value)) : counted;
}

function findCard(board: BoardCalls, word: string): Promise<Result<CardId>> {
  return findCardId(word, async () => {
    const page = await board.list({ limit: MAX_SEARCHED });
    return page.ok ? page.value.cards : [];
  });
}

function usageOf(name: keyof typeof ACTION_WORDS): string {
  return `\`${`/board ${name} CARD ${ACTION_WORDS[name].words}`.trim()}\``;
}

function say(text: string): NoticeEnding {
  return { state: "done", code: "board", text };
}

function refuse(code: string, text: string): NoticeEnding {
  return { state: "failed", code, text };
}
