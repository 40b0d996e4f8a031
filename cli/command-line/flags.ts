// The flags that every command of `talaria` has, and those of a chat. The parser and `--help` read these tables.
import { Backend } from "../../core/schemas/api.ts";
import { Effort } from "../../core/schemas/settings.ts";
import type { Flags } from "./verb.ts";

export const COMMON_FLAGS = {
  json: { type: "boolean", help: "results as JSON; in a chat, each event as a line (stream-json)" },
  url: { type: "string", value: "URL", help: "where the API is (else TALARIA_URL, else the file of `npm start`)" },
  key: { type: "string", value: "KEY", help: "the profile's key (else TALARIA_KEY, else the file of `npm start`)" },
  profile: {
    type: "string",
    value: "NAME",
    help: "take address and key from .talaria/NAME.json instead of local.json; a path works too",
  },
  help: { type: "boolean", short: "h", help: "this text" },
} as const satisfies Flags;

export const CHAT_FLAGS = {
  prompt: {
    type: "string",
    short: "p",
    value: "TEXT",
    help: "send one message, print the answer, exit; `-p -` reads stdin",
  },
  continue: { type: "boolean", short: "c", help: "continue the newest session" },
  resume: {
    type: "boolean",
    short: "r",
    value: "[ID]",
    help: "continue a session; without an ID, choose one from a list",
  },
  session: { type: "string", value: "ID", help: "continue this session" },
  model: { type: "string", value: "NAME", help: "choose the session's model" },
  reasoning: { type: "string", value: "EFFORT", help: `how much it reasons: ${Effort.options.join(", ")}` },
  learning: { type: "string", value: "off", help: "a new session that neither uses nor adds what was learned" },
  backend: { type: "string", value: Backend.options.join("|"), help: "where a new session's files and commands are" },
  image: { type: "string", multiple: true, value: "FILE", help: "send an image with -p; may be repeated" },
  file: {
    type: "string",
    multiple: true,
    value: "FILE",
    help: "put a file into the session's files with -p; may be repeated",
  },
  "output-format": {
    type: "string",
    value: "FORMAT",
    help: "text (default), json (one object, with -p) or stream-json",
  },
  "max-wait": { type: "string", value: "SECONDS", help: "with -p: leave after this time; the turn goes on" },
  version: { type: "boolean", help: "the version of this program" },
} as const satisfies Flags;

/** Of every action that lists. */
export const PAGE_FLAGS = {
  limit: { type: "string", value: "N", help: "at most N lines; without it, everything" },
  after: { type: "string", value: "CURSOR", help: "go on after the `next` of an earlier list" },
} as const satisfies Flags;

export const YES_FLAG = { yes: { type: "boolean", short: "y", help: "do not ask" } } as const satisfies Flags;
