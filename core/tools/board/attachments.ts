// Files between a card and the session's workspace, for the tool `board`. Their bytes are kept unchanged.
import type { ToolResult } from "../../agent/contract.ts";
import { succeed } from "../../agent/tool-result.ts";
import { type Result, err, ok } from "../../errors.ts";
import { AttachmentName } from "../../schemas/board/log.ts";
import type { BoardCall } from "./board-call.ts";

/** [own] A longer text is read in parts, from the workspace. */
const MAX_SHOWN_BYTES = 1 << 20;
const TEXT_TYPE = "text/plain; charset=utf-8";
const BINARY_TYPE = "application/octet-stream";

/** A file of the workspace, or a text. */
export async function attach(
  { path, name: given, text }: { path?: string | undefined; name?: string | undefined; text?: string | undefined },
  { board, call, card, workspace }: BoardCall,
): Promise<Result<ToolResult>> {
  const name = AttachmentName.safeParse(given ?? path?.split("/").at(-1));
  if ((path === undefined) === (text === undefined) || !name.success) {
    return err("bad_arguments", "Give `path`, a file of the workspace, or `text` and `name`.");
  }
  const bytes = path === undefined ? new TextEncoder().encode(text) : workspace.read(path);
  if (bytes === null) return err("file_not_found", `There is no file '${path}' in the workspace.`);
  const mediaType = readText(bytes) === null ? BINARY_TYPE : TEXT_TYPE;
  const attached = await board.attach(call, card, { name: name.data, mediaType, bytes });
  if (!attached.ok) return attached;
  return ok(succeed({ done: "attach", card, bytes: bytes.length }));
}

/** Shows a text, or saves any file. What a person who owns the profile attached is their word; all else is content. */
export async function readAttachment(
  { name, path }: { name: string; path?: string | undefined },
  { board, card, workspace }: BoardCall,
): Promise<Result<ToolResult>> {
  const read = await board.readAttachment(card, name);
  if (!read.ok) return read;
  const { attachment, bytes } = read.value;
  const facts = { card, bytes: bytes.length };
  if (path !== undefined) {
    const saved = workspace.putAsAgent(path, bytes, "content");
    return saved.ok ? ok(succeed({ ...facts, path: saved.value.path })) : saved;
  }
  if (bytes.length > MAX_SHOWN_BYTES) {
    return err("file_too_large", `'${name}' has ${bytes.length} bytes. Give \`path\` to save it in the workspace.`);
  }
  const text = readText(bytes);
  if (text === null) return err("not_text", `'${name}' is not a text. Give \`path\` to save it in the workspace.`);
  return ok(succeed(facts, { [attachment.author.by === "owner" ? "principal" : "content"]: { text } }));
}

/** `null`: it is not UTF-8 text. */
function readText(bytes: Uint8Array): string | null {
  try {
    return bytes.includes(0) ? null : new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null; // thrown by the decoder for invalid UTF-8
  }
}
