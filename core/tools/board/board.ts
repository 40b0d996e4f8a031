// The tool board: the cards of a board, for an agent that plans and for the session that works on one. Every change carries the call's operation
// id, so that a repeated call finds its own effect. The board itself refuses what a worker may not do; this file reads the arguments.
import type { Tool } from "../../agent/contract.ts";
import { fail } from "../../agent/tool-result.ts";
import type { BoardCalls } from "../../board/board-calls.ts";
import { describeIssue } from "../../commands/board/board-words.ts";
import type { Failure } from "../../errors.ts";
import { type Author, type BoardName, type CardId, DEFAULT_BOARD } from "../../schemas/board/card.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import { toRefusal } from "../refusal.ts";
import { type BoardArgs, createBoardArgs, describeFields, toFacts } from "./board-args.ts";
import { OPERATIONS, type OperationName } from "./board-operations.ts";

/** What the tool needs of its session. */
export interface BoardDesk {
  open(board: BoardName): BoardCalls;
  author: Extract<Author, { by: "agent" }>;
  /** The card that the session works on, in the run of `author.run`. Absent: it works on none. */
  place?: { board: BoardName; card: CardId };
  /** The profile's boards, as the session knows them. */
  names: readonly BoardName[];
  /** The running turn is the owner's, or a worker's. */
  isAllowed(): boolean;
}

const NAMES = Object.keys(OPERATIONS) as [OperationName, ...OperationName[]];
const Args = createBoardArgs(NAMES);

/** A chat that began a card by hand is the worker of that run. */
const OF_RUNS: readonly OperationName[] = ["complete", "block", "request-review", "request-changes", "heartbeat"];

const DESCRIPTION = [
  "The cards of a board: work that outlives this conversation. A card that is ready and not a person's is worked on by a session of its own,",
  "which knows only the card: put everything it needs into title and body. Cards wait for their parents; review and block bring them to a person.",
  "Each action has its own fields (`?` may be left out):",
  `${NAMES.map((name) => describeFields(name, OPERATIONS[name].form, OPERATIONS[name].card)).join(", ")}.`,
].join(" ");

export function createBoardTool(desk: BoardDesk, workspace: Workspace): Tool<BoardArgs<OperationName>> {
  return {
    name: "board",
    description: DESCRIPTION,
    parameters: Args,
    effect: "keyed",
    // What an agent writes on a card is content for everyone who reads it.
    marksContent: true,
    async run(args, { op }) {
      if (!desk.isAllowed()) return NOT_OWNERS;
      const { action, board: name = desk.place?.board ?? DEFAULT_BOARD } = args;
      const { form, card: needed, reads = false, run } = OPERATIONS[action];
      const own = needed === "needed" && name === desk.place?.board ? desk.place.card : undefined;
      const card = needed === "none" ? undefined : (args.card ?? own);
      if (card === undefined && needed === "needed") {
        return fail("bad_arguments", `\`${action}\` needs \`card\`. List the cards to find its id.`);
      }
      if (needed === "none" && args.card !== undefined) {
        return fail("bad_arguments", `\`${action}\` takes no \`card\`.`);
      }
      if (desk.place && name !== desk.place.board && !reads) {
        return fail("not_your_card", `You work for the board '${desk.place.board}' and may change only its cards.`);
      }
      const given = toFacts(args);
      if (!given.ok) return toRefusal(given.failure);
      const facts = form.safeParse(given.value);
      if (!facts.success) {
        const fields = describeFields(action, form, needed);
        return fail("bad_arguments", `${describeIssue(facts.error)} Its fields are: ${fields}.`);
      }
      const board = desk.open(name);
      const author = await findAuthor(desk, board, { action, card });
      const about = { board, call: { author, op: `tool:${op}` }, card: card!, workspace };
      const result = await run(facts.data, about);
      return result.ok ? result.value : toRefusal(withBoards(result.failure, name, desk));
    },
  };
}

/** What the owner wrote on cards is not for others to read, and their work not for others to spend. */
const NOT_OWNERS = fail(
  "board_not_yours",
  "This message is not from the owner of this agent, and only they may use its boards. Tell the person so.",
);

/** With the run of the card that this session began by hand. */
async function findAuthor(
  { author }: BoardDesk,
  board: BoardCalls,
  { action, card }: { action: OperationName; card: CardId | undefined },
): Promise<BoardDesk["author"]> {
  if (author.run !== undefined || card === undefined || !OF_RUNS.includes(action)) return author;
  const shown = await board.show(card);
  if (!shown.ok) return author;
  const open = shown.value.runs.find(({ id }) => id === shown.value.card.run);
  return open && open.session === author.session ? { ...author, run: open.id } : author;
}

function withBoards(failure: Failure, name: BoardName, { names }: BoardDesk): Failure {
  if (failure.code !== "board_not_found") return failure;
  const known = names.length === 0 ? "The profile has none: a person makes one." : `There are: ${names.join(", ")}.`;
  return { ...failure, message: `There is no board '${name}'. ${known}` };
}
