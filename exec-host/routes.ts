// The routes of the exec host: what each reads from a request, and what it answers. docs/EXEC-HOST.md describes them; a test compares
// the list. Called by server.ts, which has checked the token and parsed the body.
import { readlinkSync } from "node:fs";
import type { CommandState, StreamName } from "./commands/command.ts";
import type { Commands } from "./commands/commands.ts";
import type { Fields } from "./fields.ts";
import { listFolder, readPiece, statFile } from "./files/read.ts";
import { searchFiles } from "./files/search.ts";
import { type Root, rootPath, toPath, withPlace } from "./files/walk.ts";
import { type Written, writeFile } from "./files/write.ts";
import { LIMITS } from "./limits.ts";
import type { Ops } from "./ops.ts";
import { Problem } from "./problem.ts";

export const PROTOCOL_VERSION = 1;

export interface Machine {
  root: Root;
  commands: Commands;
  ops: Ops<Written | null>;
}

type Handler = (machine: Machine, fields: Fields, op: string) => Promise<unknown> | unknown;

/** `{op}` is one part of a path. */
export const ROUTES: Record<string, Handler> = {
  "GET /v1/health": health,
  "POST /v1/commands": startCommand,
  "GET /v1/commands": listCommands,
  "GET /v1/commands/{op}": waitForCommand,
  "GET /v1/commands/{op}/output": readOutput,
  "POST /v1/commands/{op}/stdin": writeStdin,
  "POST /v1/commands/{op}/kill": killCommand,
  "POST /v1/files/read": readFile,
  "POST /v1/files/stat": stat,
  "POST /v1/files/list": list,
  "POST /v1/files/search": search,
  "POST /v1/files/write": write,
};

/** The handler of a request, and the op in its path. Throws a Problem. */
export function findRoute(method: string, path: string): { handler: Handler; op: string } {
  const match = /^\/v1\/commands\/([^/]{1,600})(\/\w{1,20})?$/.exec(path);
  const pattern = match ? `/v1/commands/{op}${match[2] ?? ""}` : path;
  const handler = ROUTES[`${method} ${pattern}`];
  if (handler) return { handler, op: match ? decodeOp(match[1]!) : "" };
  const isKnown = Object.keys(ROUTES).some((route) => route.endsWith(` ${pattern}`));
  if (isKnown) throw new Problem("method_not_allowed", "This route takes another method.");
  throw new Problem("route_unknown", "There is no such route.");
}

function decodeOp(text: string): string {
  try {
    return checkOp(decodeURIComponent(text));
  } catch {
    throw new Problem("request_malformed", "The op in the path is malformed.");
  }
}

function checkOp(op: string): string {
  if (/^[\w.:-]{1,200}$/.test(op)) return op;
  throw new Problem("request_malformed", "'op' must have 1 to 200 letters, digits, '_', '.', ':' or '-'.");
}

function health({ root, commands }: Machine, fields: Fields) {
  fields.end();
  return { ok: true, version: PROTOCOL_VERSION, boot: commands.boot, folder: rootPath(root) };
}

async function startCommand({ root, commands, ops }: Machine, fields: Fields): Promise<CommandState> {
  const operation = takeOperation(fields, ["waitMs"]);
  const waitMs = takeWait(fields);
  const command = fields.text("command", LIMITS.commandBytes);
  if (Buffer.byteLength(command) > LIMITS.commandBytes || command.includes("\0") || command === "") {
    throw new Problem("request_malformed", `'command' must have 1 to ${LIMITS.commandBytes} bytes, and no NUL.`);
  }
  const folder = fields.text("folder", LIMITS.pathBytes, "");
  const stdin = fields.bytes("stdin", LIMITS.stdinBytes);
  const background = fields.flag("background");
  const [max, usual] = background
    ? [LIMITS.backgroundTimeoutMs, LIMITS.backgroundTimeoutMs]
    : [LIMITS.maxTimeoutMs, LIMITS.timeoutMs];
  const timeoutMs = fields.int("timeoutMs", { min: 1, max, fallback: usual });
  fields.end();
  await ops.once(operation, async () => {
    const cwd = withPlace(root, folder, (place) => {
      if (!place.stats.isDirectory()) throw new Problem("not_a_folder", `'${place.path}' is not a folder.`);
      return readlinkSync(toPath(place.fd));
    });
    commands.start({ op: operation.op, command, cwd, stdin, background, timeoutMs });
    return null;
  });
  return endedOrAfter(commands, operation.op, waitMs);
}

function listCommands({ commands }: Machine, fields: Fields) {
  const prefix = fields.text("prefix", LIMITS.opChars, "");
  fields.end();
  return {
    commands: commands.list(prefix).map((command) => {
      const { stdout, stderr, ...state } = command.state();
      return { ...state, stdoutBytes: stdout.bytes, stderrBytes: stderr.bytes };
    }),
  };
}

function waitForCommand({ commands }: Machine, fields: Fields, op: string): Promise<CommandState> {
  const waitMs = takeWait(fields);
  fields.end();
  return endedOrAfter(commands, op, waitMs);
}

/** The state once it has ended, or after this time. */
async function endedOrAfter(commands: Commands, op: string, waitMs: number): Promise<CommandState> {
  const state = commands.state(op);
  if (state.state === "ended" || waitMs === 0) return state;
  await commands.get(op).waitForEnd(waitMs);
  return commands.state(op);
}

function readOutput({ commands }: Machine, fields: Fields, op: string) {
  const stream = fields.oneOf<StreamName>("stream", ["stdout", "stderr"], "stdout");
  const from = fields.int("from", { max: Number.MAX_SAFE_INTEGER, fallback: 0 });
  const limit = fields.int("limit", { min: 4, max: LIMITS.outputBytes, fallback: LIMITS.outputBytes });
  const ms = takeWait(fields);
  fields.end();
  return commands.get(op).read(stream, { from, limit, ms });
}

async function writeStdin({ commands, ops }: Machine, fields: Fields, op: string): Promise<CommandState> {
  const operation = takeOperation(fields, []);
  const data = fields.bytes("data", LIMITS.stdinBytes) ?? Buffer.alloc(0);
  const end = fields.flag("end");
  fields.end();
  await ops.once({ ...operation, request: { op, request: operation.request } }, async () => {
    commands.get(op).write(data, end);
    return null;
  });
  return commands.state(op);
}

async function killCommand({ commands }: Machine, fields: Fields, op: string): Promise<CommandState> {
  fields.end();
  if (commands.state(op).state === "running") await commands.get(op).kill();
  return commands.state(op);
}

function readFile({ root }: Machine, fields: Fields) {
  const path = fields.text("path", LIMITS.pathBytes);
  const offset = fields.int("offset", { max: Number.MAX_SAFE_INTEGER, fallback: 0 });
  const length = fields.int("length", { max: LIMITS.readBytes, fallback: LIMITS.readBytes });
  fields.end();
  const { bytes, ...piece } = readPiece(root, path, offset, length);
  return { ...piece, length: bytes.length, base64: bytes.toString("base64") };
}

function stat({ root }: Machine, fields: Fields) {
  const path = fields.text("path", LIMITS.pathBytes);
  fields.end();
  return statFile(root, path);
}

function list({ root }: Machine, fields: Fields) {
  const path = fields.text("path", LIMITS.pathBytes, "");
  const after = fields.text("after", LIMITS.pathBytes, "");
  const limit = fields.int("limit", { min: 1, max: LIMITS.listEntries, fallback: LIMITS.listEntries });
  fields.end();
  return listFolder(root, path, { after, limit });
}

function search({ root }: Machine, fields: Fields) {
  const request = {
    pattern: fields.text("pattern", LIMITS.patternChars),
    ignoreCase: fields.flag("ignoreCase"),
    path: fields.text("path", LIMITS.pathBytes, ""),
    paths: fields.nullable("paths", LIMITS.patternChars) ?? null,
    mode: fields.oneOf("mode", ["content", "names"] as const, "content"),
    limit: fields.int("limit", { min: 1, max: LIMITS.searchLines, fallback: LIMITS.searchLines }),
  };
  fields.end();
  return searchFiles(root, request);
}

function write({ root, ops }: Machine, fields: Fields): Promise<Written | null> {
  const operation = takeOperation(fields, []);
  const path = fields.text("path", LIMITS.pathBytes);
  const bytes = fields.bytes("base64", LIMITS.writeBytes);
  if (!bytes) throw new Problem("request_malformed", "'base64' is missing: the bytes to write.");
  const append = fields.flag("append");
  const expect = fields.nullable("expect", 64);
  fields.end();
  return ops.once(operation, async () => writeFile(root, { path, bytes, append, expect }));
}

/** `op` and `attach`. What identifies the request is everything else but `ignored`. */
function takeOperation(fields: Fields, ignored: string[]) {
  const op = checkOp(fields.text("op", LIMITS.opChars));
  const attach = fields.flag("attach");
  const request = Object.entries(fields.rest()).filter(([name]) => !ignored.includes(name));
  return { op, attach, request };
}

function takeWait(fields: Fields): number {
  return fields.int("waitMs", { max: LIMITS.waitMs, fallback: 0 });
}
