// The one table of slash commands. The session, the terminal and every other client read it: to dispatch, to refuse, to
// complete a word and to print help. To add a command, add a row here and the function its handler runs: in
// core/session/turn/commands/run-command.ts for the session, in the client for a client. Pure data.

export interface CommandRow {
  /** The word after the slash. */
  name: string;
  /** Other words for the same command. */
  aliases?: readonly string[];
  argument: CommandArgument | null;
  /**
   * `session`: the session carries the message out itself, in a turn without a model.
   * `model`: the message goes to the model; the command changes how it is read.
   * `client`: the client carries it out and never sends it as a message.
   */
  handler: "session" | "model" | "client";
  /** Who may use it; see `mayUse`. */
  access: CommandRole;
  /** Carried out at once while a turn is parked. Other commands wait for the turn to end. */
  beside?: true;
  /** Who may use it where several people share the session. Absent: as `access` says. */
  accessInShared?: CommandRole;
  /** Absent: every client offers it. */
  onlyIn?: readonly CommandClient[];
  /** One line, in the imperative, without a full stop. */
  help: string;
}

export interface CommandArgument {
  /** As help shows it, in capitals. */
  name: string;
  /** `word` holds no white space. */
  form: "text" | "word";
  /** What the argument must look like. A message that does not is no command. */
  fits?: RegExp;
  required: boolean;
}

/**
 * `owner`: holds a key of the profile or is its person, decides what it keeps and sees what it spends. Every caller of the HTTP API is one.
 * `admin`: a person of a channel who manages its sessions and decides approvals. What the owner has said elsewhere, and speaking for the owner,
 * are not for admins.
 * `participant`: may write in the conversation and has no key, such as a member of a group chat.
 */
export type CommandRole = "owner" | "admin" | "participant";

export type CommandClient = "terminal" | "web" | "channel";

const text = (name: string) => ({ name, form: "text", required: true }) as const;
const word = (name: string) => ({ name, form: "word", required: true }) as const;
const optional = <Argument extends CommandArgument>(argument: Argument) => ({ ...argument, required: false }) as const;

export const COMMANDS = [
  {
    name: "compress",
    argument: optional(text("FOCUS")),
    handler: "session",
    access: "participant",
    help: "make the conversation shorter, keep what concerns FOCUS",
  },
  {
    name: "refresh",
    argument: null,
    handler: "session",
    access: "participant",
    help: "rebuild the prompt from current skills, memory and files",
  },
  {
    name: "skill",
    argument: text("NAME"),
    handler: "model",
    access: "participant",
    help: "load the skill NAME, also where a command has that name",
  },
  {
    name: "learn",
    argument: text("TEXT"),
    handler: "model",
    access: "owner",
    help: "have the agent save a skill about TEXT, in your name",
  },
  {
    name: "refine",
    argument: optional(text("FOCUS")),
    handler: "session",
    access: "admin",
    help: "review the recent work now, and earlier work about FOCUS",
  },
  {
    name: "model",
    argument: optional(word("NAME")),
    handler: "session",
    access: "admin",
    help: "use the model NAME from now on; without NAME, list them",
  },
  {
    name: "reasoning",
    argument: optional(word("EFFORT")),
    handler: "session",
    access: "admin",
    help: "how much the model reasons: none to max, or default",
  },
  {
    name: "personality",
    argument: optional(word("NAME")),
    handler: "session",
    access: "admin",
    help: "speak as NAME; without NAME, list them",
  },
  {
    name: "title",
    argument: optional(text("TEXT")),
    handler: "session",
    access: "admin",
    help: "name the session TEXT",
  },
  {
    name: "goal",
    argument: optional(text("TEXT")),
    handler: "session",
    access: "admin",
    help: "work at TEXT until it is reached; alone, say how far",
  },
  {
    name: "subgoal",
    argument: optional(text("TEXT")),
    handler: "session",
    access: "admin",
    help: "add TEXT to what the goal must reach",
  },
  {
    name: "jobs",
    argument: optional(text("ACTION")),
    handler: "session",
    access: "owner",
    help: "work that runs by the clock: list, or add SCHEDULE: TASK",
  },
  {
    name: "board",
    argument: optional(text("ACTION ...")),
    handler: "session",
    access: "owner",
    help: "list and change the cards of a board; /board help",
  },
  {
    name: "blueprint",
    argument: optional(text("NAME")),
    handler: "session",
    access: "owner",
    help: "make a job or goal of a blueprint; alone, list them",
  },
  {
    name: "undo",
    argument: null,
    handler: "session",
    access: "admin",
    help: "take back the last turn and what it did to the files",
  },
  {
    name: "retry",
    argument: null,
    handler: "session",
    access: "admin",
    help: "take back the last turn and send its message again",
  },
  {
    name: "branch",
    argument: optional(word("TURN")),
    handler: "client",
    access: "admin",
    help: "begin a session that is as this one was after TURN",
  },
  {
    name: "rollback",
    argument: optional(word("N")),
    handler: "session",
    access: "admin",
    help: "set the files back to checkpoint N; without N, list them",
  },
  {
    name: "approvals",
    aliases: ["pending"],
    argument: null,
    handler: "session",
    access: "admin",
    beside: true,
    help: "list what waits for you, what you allowed",
  },
  {
    name: "approve",
    argument: { name: "ID SCOPE", form: "text", required: false, fits: /^\S*(?:\s+(?:once|session|always))?$/ },
    handler: "session",
    access: "admin",
    beside: true,
    help: "allow ID: once, for the session or always",
  },
  {
    name: "deny",
    aliases: ["reject"],
    argument: optional(text("ID REASON")),
    handler: "session",
    access: "admin",
    beside: true,
    help: "refuse ID; the agent reads the reason",
  },
  {
    name: "answer",
    argument: text("TEXT"),
    handler: "session",
    access: "participant",
    beside: true,
    help: "answer the agent's question: a number, or your own words",
  },
  {
    name: "revoke",
    argument: word("ID"),
    handler: "session",
    access: "admin",
    beside: true,
    help: "ask again about what you allowed as ID",
  },
  {
    name: "steer",
    argument: text("TEXT"),
    handler: "client",
    access: "participant",
    help: "put TEXT into the running turn",
  },
  {
    name: "interrupt",
    argument: text("TEXT"),
    handler: "client",
    access: "participant",
    help: "end the turn after its running tools or answer, send TEXT",
  },
  {
    name: "queue",
    argument: text("TEXT"),
    handler: "client",
    access: "participant",
    help: "send TEXT when the running turn has ended",
  },
  {
    name: "image",
    argument: text("PATH"),
    handler: "client",
    access: "participant",
    onlyIn: ["terminal"],
    help: "send the image file PATH with your next message",
  },
  {
    name: "get",
    argument: text("PATH [TO]"),
    handler: "client",
    access: "participant",
    onlyIn: ["terminal"],
    help: "save a file of the workspace on this machine, as TO",
  },
  {
    name: "stop",
    argument: null,
    handler: "client",
    access: "participant",
    help: "stop the running turn and every waiting message",
  },
  {
    name: "usage",
    argument: null,
    handler: "client",
    access: "admin",
    help: "show what was spent",
  },
  {
    name: "learning",
    argument: optional(word("SKILL")),
    handler: "client",
    access: "admin",
    help: "show what was learned, whether it helps and what it cost",
  },
  {
    name: "why",
    argument: null,
    handler: "client",
    access: "owner",
    onlyIn: ["terminal"],
    help: "show what was learned from this session, and why",
  },
  {
    name: "unlearn",
    argument: optional(word("N")),
    handler: "client",
    access: "owner",
    onlyIn: ["terminal"],
    help: "take back lesson N of /why",
  },
  {
    name: "rate",
    argument: text("up|down WHY"),
    handler: "client",
    access: "owner",
    onlyIn: ["terminal"],
    help: "say whether the last answer was right",
  },
  {
    name: "skills",
    argument: optional(word("NAME")),
    handler: "client",
    access: "admin",
    onlyIn: ["terminal", "channel"],
    help: "list the skills, or show NAME",
  },
  {
    name: "memory",
    argument: null,
    handler: "client",
    access: "owner",
    onlyIn: ["terminal", "channel"],
    help: "show what is remembered",
  },
  {
    name: "search",
    argument: text("WORDS"),
    handler: "client",
    access: "owner",
    onlyIn: ["terminal", "channel"],
    help: "find messages of all sessions",
  },
  {
    name: "sessions",
    aliases: ["resume"],
    argument: optional(word("ID")),
    handler: "client",
    access: "participant",
    accessInShared: "admin",
    onlyIn: ["terminal", "channel"],
    help: "choose a session to go on with",
  },
  {
    name: "new",
    argument: null,
    handler: "client",
    access: "participant",
    accessInShared: "admin",
    onlyIn: ["terminal", "channel"],
    help: "begin a new session",
  },
  {
    name: "status",
    argument: null,
    handler: "client",
    access: "participant",
    onlyIn: ["channel"],
    help: "show the session, its model and what runs",
  },
  {
    name: "whoami",
    argument: null,
    handler: "client",
    access: "participant",
    onlyIn: ["channel"],
    help: "show how the agent knows you, and your role",
  },
  {
    name: "topic",
    argument: optional(text("create|switch|rename|off NAME")),
    handler: "client",
    access: "participant",
    accessInShared: "admin",
    onlyIn: ["channel"],
    help: "have several sessions in this chat; alone, list them",
  },
  {
    name: "listen",
    argument: optional({ ...word("mention|all|off"), fits: /^(?:mention|all|off)?$/ }),
    handler: "client",
    access: "admin",
    onlyIn: ["channel"],
    help: "when the agent answers in this group",
  },
  {
    name: "sethome",
    argument: null,
    handler: "client",
    access: "admin",
    onlyIn: ["channel"],
    help: "send here what concerns no chat",
  },
  {
    name: "start",
    argument: optional(text("WORD")),
    handler: "client",
    access: "participant",
    onlyIn: ["channel"],
    help: "say hello",
  },
  {
    name: "exit",
    aliases: ["quit"],
    argument: null,
    handler: "client",
    access: "participant",
    onlyIn: ["terminal"],
    help: "leave",
  },
  {
    name: "help",
    argument: null,
    handler: "client",
    access: "participant",
    help: "show this list",
  },
] as const satisfies readonly CommandRow[];

type Row = (typeof COMMANDS)[number];

export type CommandName = Row["name"];

/** The keys of the session's dispatch. */
export type SessionCommandName = Extract<Row, { handler: "session" }>["name"];

/** A message that is a command of the session. */
export interface SessionCommand {
  name: SessionCommandName;
  /** Trimmed. "" if none was given, even if the table requires one: the command itself reports what is missing. */
  argument: string;
}

/** The keys of a client's dispatch. */
export type ClientCommandName<Client extends CommandClient = "terminal"> = Offered<
  Extract<Row, { handler: "client" }>,
  Client
>;
type Offered<Any extends Row, Client> = Any extends { onlyIn: readonly (infer Only)[] }
  ? Client extends Only
    ? Any["name"]
    : never
  : Any["name"];

const RANK: Record<CommandRole, number> = { owner: 2, admin: 1, participant: 0 };

/**
 * A client whose writers are not all owners must ask before it runs or sends a command. `isShared`: several people write in the session.
 */
export function mayUse(
  { access, accessInShared = access }: Pick<CommandRow, "access" | "accessInShared">,
  role: CommandRole,
  isShared = false,
): boolean {
  return RANK[role] >= RANK[isShared ? accessInShared : access];
}

export function isOfferedIn({ onlyIn }: Pick<CommandRow, "onlyIn">, client: CommandClient): boolean {
  return onlyIn === undefined || onlyIn.includes(client);
}

/** The commands that a client offers to somebody, in the order of the table. */
export function offeredCommands(client: CommandClient, role: CommandRole, isShared = false): CommandRow[] {
  const rows: readonly CommandRow[] = COMMANDS;
  return rows.filter((row) => mayUse(row, role, isShared) && isOfferedIn(row, client));
}
