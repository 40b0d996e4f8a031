// Files that a person sends: images become images of the message, voice becomes text, everything else a file of the workspace. Called while a
// message is carried out. What cannot be taken is said in a sentence, to the agent or to the person; nothing is dropped silently.
import type { PlatformClient, PlatformLimits } from "../../core/channels/platform.ts";
import { checkImage } from "../../core/images/check-image.ts";
import type { Result } from "../../core/errors.ts";
import { toBase64 } from "../../core/schemas/base64.ts";
import type { InboundFile, InboundMessage } from "../../core/schemas/channels/inbound.ts";
import { sha256Hex } from "../../core/schemas/learning/digest.ts";
import type { GivenImage } from "../../core/schemas/media/image.ts";
import type { Settings } from "../../core/schemas/settings.ts";
import type { SpentCall } from "../../core/schemas/usage.ts";
import type { Transcriber } from "../../core/models/transcriber.ts";
import type { SessionStub } from "./context.ts";

/** Where the agent finds files, each in a folder named by its message. */
const FOLDER = "inbox";
const MAX_NAME_CHARS = 100;
/** A platform that does not answer is asked again this often; then the message goes without the file. */
const MAX_TRIES = 3;
const PASSING = ["channel_rate_limited", "channel_unreachable", "channel_unavailable", "timed_out", "unreachable"];

export interface TakenFiles {
  images: GivenImage[];
  /** What was said in voice messages. */
  spoken: string[];
  /** What the agent is told of files, one line each. */
  notes: string[];
  /** What the person is told. */
  refusals: string[];
}

export interface FileTaker {
  client: PlatformClient;
  limits: Pick<PlatformLimits, "fileBytes">;
  settings: Pick<Settings, "turn" | "images">;
  session: Pick<SessionStub, "putFile">;
  transcriber: Result<Transcriber>;
  /** Books what a transcription cost, once under this id of it. */
  book(id: string, spent: SpentCall): Promise<void>;
  /** How often the message was tried before. */
  tries: number;
}

/** Throws if a file cannot be had now, and may be had later. */
export async function takeFiles(message: InboundMessage, taker: FileTaker): Promise<TakenFiles> {
  const taken: TakenFiles = { images: [], spoken: [], notes: [], refusals: [] };
  for (const [n, file] of message.files.entries()) await takeFile(message, file, n, taker, taken);
  return taken;
}

async function takeFile(
  message: InboundMessage,
  file: InboundFile,
  n: number,
  { client, limits, settings, session, transcriber, book, tries }: FileTaker,
  taken: TakenFiles,
): Promise<void> {
  const name = toFileName(file, n);
  const what = `The file "${name}"`;
  const maxBytes = Math.min(limits.fileBytes, settings.turn.maxFileBytes);
  const refuse = (why: string) => {
    taken.refusals.push(`${what} was not taken: ${why}`);
    taken.notes.push(`[The person sent "${name}". It was not taken: ${why}]`);
  };
  if (!client.fetchFile) return refuse("files cannot be received here.");
  if (file.bytes !== undefined && file.bytes > maxBytes) return refuse(tooLarge(file.bytes, maxBytes));
  const fetched = await client.fetchFile(file);
  if (!fetched.ok) {
    const { code, message: why } = fetched.failure;
    if (PASSING.includes(code) && tries < MAX_TRIES) throw new Error(`${code}: ${why}`);
    return refuse(why);
  }
  const { bytes } = fetched.value;
  if (bytes.length > maxBytes) return refuse(tooLarge(bytes.length, maxBytes));
  const type = fetched.value.mediaType ?? file.mediaType ?? "application/octet-stream";
  if (file.kind === "voice") {
    const heard = transcriber.ok ? await transcriber.value.transcribe({ bytes, name, mediaType: type }) : transcriber;
    // A message that is tried again is transcribed, and paid for, again.
    if (heard.ok) await book(`${n}.${tries}`, heard.value.spent);
    if (heard.ok && heard.value.text !== "") return void taken.spoken.push(heard.value.text);
    const why = heard.ok ? "no words were recognised in it." : heard.failure.message;
    taken.refusals.push(`Your voice message could not be turned into text: ${why}`);
  }
  if (file.kind === "image" && taken.images.length < settings.images.maxPerMessage) {
    const checked = checkImage(bytes, what, settings.images);
    if (checked.ok) {
      return void taken.images.push({ data: `data:${checked.value.type};base64,${toBase64(bytes)}`, name });
    }
  }
  const path = `${FOLDER}/${sha256Hex(message.id).slice(0, 8)}/${name}`;
  const put = await session.putFile(path, bytes);
  if (!put.ok) return refuse(put.failure.message);
  taken.notes.push(`[The person sent a file: ${path} (${type}, ${bytes.length} bytes)]`);
}

function tooLarge(bytes: number, maxBytes: number): string {
  return `it has ${bytes} bytes, and a file may have ${maxBytes}. Send a smaller one.`;
}

/** A plain name for the workspace, whatever the person's machine called the file. */
function toFileName({ name = "", kind }: InboundFile, n: number): string {
  const plain = name
    .normalize("NFC")
    .replace(/[^\p{L}\p{N}._ -]/gu, "_")
    .replace(/^[. ]+/, "")
    .trim();
  const clipped = [...plain].slice(-MAX_NAME_CHARS).join("");
  return clipped === "" ? `${kind}-${n + 1}` : n === 0 ? clipped : `${n + 1}-${clipped}`;
}
