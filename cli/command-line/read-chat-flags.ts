// Checks the flags of a chat before anything is sent, and reads the files they name. Throws a UsageError. Used by chat.ts.
import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { Backend, Learning } from "../../core/schemas/api.ts";
import { Effort } from "../../core/schemas/settings.ts";
import { UsageError } from "../connection/connection.ts";
import { type AttachedImage, readImageFile } from "../image-file.ts";
import { type FlagValues, readChoice, textFlag, textFlags } from "./verb.ts";

export type OutputFormat = "text" | "json" | "stream-json";

export interface ChatFlags {
  prompt?: string;
  /** The session to continue. Absent: a new one. */
  from: { session: string } | "newest" | "choose" | null;
  model?: string;
  effort?: Effort;
  learning?: "off";
  backend?: Backend;
  images: AttachedImage[];
  files: { path: string; bytes: Uint8Array<ArrayBuffer> }[];
  format: OutputFormat;
  maxWaitMs?: number;
}

const FORMATS: readonly OutputFormat[] = ["text", "json", "stream-json"];

/** `resumed`: the ID after `-r`. */
export async function readChatFlags(
  flags: FlagValues,
  resumed: string | undefined,
  stdin: AsyncIterable<Buffer | string>,
): Promise<ChatFlags> {
  const from = chooseFrom(flags, resumed);
  const learning = readChoice(flags, "learning", Learning);
  const backend = readChoice(flags, "backend", Backend);
  if (from !== null && (learning !== undefined || backend !== undefined))
    throw new UsageError(
      "--learning and --backend are chosen when a session begins: leave them out, or begin a new one.",
    );
  const format = readFormat(flags);
  const prompt = textFlag(flags, "prompt");
  if (prompt === undefined) {
    const needs = ["image", "file", "max-wait"].find((name) => flags[name] !== undefined);
    if (needs !== undefined || format === "json")
      throw new UsageError(`${needs === undefined ? "--output-format json" : `--${needs}`} goes with -p TEXT.`);
  }
  const effort = readChoice(flags, "reasoning", Effort);
  const model = textFlag(flags, "model");
  const maxWaitMs = readSeconds(textFlag(flags, "max-wait"));
  const images = await Promise.all(textFlags(flags, "image").map(readImage));
  const files = await Promise.all(textFlags(flags, "file").map(readAttached));
  return {
    from,
    images,
    files,
    format,
    ...(prompt !== undefined && { prompt: prompt === "-" ? await readAll(stdin) : prompt }),
    ...(model !== undefined && { model }),
    ...(effort !== undefined && { effort }),
    ...(learning === "off" && { learning }),
    ...(backend !== undefined && { backend }),
    ...(maxWaitMs !== undefined && { maxWaitMs }),
  };
}

function chooseFrom(flags: FlagValues, resumed: string | undefined): ChatFlags["from"] {
  const session = textFlag(flags, "session");
  const given = [flags.continue, flags.resume, session].filter((flag) => flag !== undefined);
  if (given.length > 1) throw new UsageError("Give one of -c, -r and --session.");
  if (flags.continue) return "newest";
  const id = session ?? resumed;
  if (id === undefined) return flags.resume ? "choose" : null;
  if (!/^[0-9a-hjkmnp-tv-z]{26}$/i.test(id))
    throw new UsageError(`${JSON.stringify(id)} is not a session's id. \`talaria sessions\` lists them.`);
  return { session: id.toUpperCase() };
}

function readFormat(flags: FlagValues): OutputFormat {
  const format = readChoice(flags, "output-format", { options: FORMATS });
  if (format === undefined) return flags.json ? "stream-json" : "text";
  if (flags.json && format !== "stream-json")
    throw new UsageError("--json means --output-format stream-json: give one of them.");
  return format;
}

function readSeconds(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,6}$/.test(text) || Number(text) < 1)
    throw new UsageError(`--max-wait takes whole seconds from 1 to 999999, not ${JSON.stringify(text)}.`);
  return Number(text) * 1_000;
}

async function readImage(path: string): Promise<AttachedImage> {
  const read = await readImageFile(path);
  if ("refusal" in read) throw new UsageError(read.refusal.replace(/^\(|\)$/g, ""));
  return read.image;
}

async function readAttached(path: string): Promise<{ path: string; bytes: Uint8Array<ArrayBuffer> }> {
  try {
    return { path: basename(path), bytes: new Uint8Array(await readFile(path)) };
  } catch (error) {
    throw new UsageError(`${path} cannot be read (${(error as NodeJS.ErrnoException).code ?? "unknown"}).`);
  }
}

async function readAll(stdin: AsyncIterable<Buffer | string>): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of stdin) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces).toString().trimEnd();
}
