// A delivery's words as the messages and files that are sent, made once, at its first attempt: a later attempt goes on where the one before
// it stopped. Called by deliver.ts.
import { questionButtons } from "./buttons.ts";
import type { Body, DeliveryRow, Piece } from "./delivery-row.ts";
import { findFiles } from "./find-files.ts";
import type { DeliveryPorts, OpenedClient } from "./ports.ts";
import { writeCommands } from "./write-commands.ts";
import { isSilence } from "./silence.ts";

/** Before a message of which an earlier attempt may have arrived. */
export const MAY_BE_DUPLICATE = "(may be a duplicate)";
/** Characters of any unit that each message leaves free for it. */
const RESERVED = MAY_BE_DUPLICATE.length + 1;

/** What the buttons mean, by token. The caller stores both together. */
export interface MadeBody {
  body: Body;
  buttons: { token: string; means: NonNullable<Body["buttons"]>[number]["means"] }[];
}

/** Rejects if the session cannot be reached. */
export async function makeBody(
  ports: DeliveryPorts,
  row: DeliveryRow & { body: Body },
  { platform }: OpenedClient,
): Promise<MadeBody> {
  const { body, kind, session } = row;
  const isThere = async (path: string) => session !== null && (await ports.readFile(session, path)).ok;
  const text = writeCommands(body.text, kind, platform.commandPrefix);
  const found = kind === "answer" && session ? await findFiles(text, isThere) : { text, files: [] };
  // Files may be sent without a word.
  const words = found.files.length > 0 && isSilence(found.text) ? "" : found.text;
  const pieces: Piece[] = (await writeTexts(ports, words, platform)).map((text) => ({ text }));
  for (const { path } of found.files) pieces.push({ file: path });
  const meant = pieces.some((piece) => "text" in piece) ? meantButtons(row, platform.capabilities.buttons) : [];
  const buttons = meant.map(({ label, means }) => ({ label, means, token: ports.newToken() }));
  const edits = kind === "answer" && "text" in (pieces[0] ?? {}) ? await findProgress(ports, row) : null;
  return {
    body: {
      ...body,
      pieces,
      ...(buttons.length > 0 && { shown: buttons.map(({ label, token }) => ({ label, token })) }),
      ...(edits !== null && { edits }),
    },
    buttons,
  };
}

/** Markdown in the platform's form, with room for the remark that a message may be a duplicate. */
export async function writeTexts(
  ports: Pick<DeliveryPorts, "toMessages">,
  markdown: string,
  { flavour, limits }: OpenedClient["platform"],
): Promise<string[]> {
  if (markdown.trim() === "") return [];
  return ports.toMessages(markdown, { flavour, limits: { ...limits, text: limits.text - RESERVED } });
}

function meantButtons({ body, session }: DeliveryRow & { body: Body }, room: number): NonNullable<Body["buttons"]> {
  if (body.question && session) return questionButtons(body.question, session, room);
  const { buttons = [] } = body;
  return buttons.length <= room ? buttons : [];
}

async function findProgress(ports: DeliveryPorts, { chat, session, turn }: DeliveryRow): Promise<string | null> {
  return session !== null && turn !== null ? ((await ports.takeProgress?.(chat, session, turn)) ?? null) : null;
}
