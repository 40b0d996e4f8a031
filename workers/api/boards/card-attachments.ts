// The files on a card, byte for byte. Their names are in the card's detail.
import { createRoute } from "@hono/zod-openapi";
import * as z from "zod";
import { MAX_ATTACHMENTS, MAX_ATTACHMENT_BYTES } from "../../../core/board/attach.ts";
import { AttachmentName, CardAttachment } from "../../../core/schemas/board/log.ts";
import { openOutbound } from "../../../wiring/outbound.ts";
import { fetchAttachment } from "../../../core/board/fetch-attachment.ts";
import { parseEnvSettings } from "../env.ts";
import { type ProblemCode, unwrap } from "../problems.ts";
import { PROBLEM_RESPONSE, createRouter, describeResponses, jsonBody, refuses } from "../router.ts";
import { CHANGE_REFUSALS, CardParams, OpHeader, openBoard, toCall } from "./open-board.ts";

export const cardAttachments = createRouter();

const PATH = "/v1/boards/{board}/cards/{card}/attachments/{attachment}";
const AttachmentParams = CardParams.extend({ attachment: AttachmentName });
const BYTES_CONTENT = { "application/octet-stream": { schema: z.string().meta({ format: "binary" }) } };
const MAX_TYPE_CHARS = 200;
const FETCH_REFUSALS = ["url_refused", "attachment_unreachable"] as const satisfies ProblemCode[];
const FetchAttachment = z.strictObject({ url: z.string().min(1).max(4_000) });

cardAttachments.openapi(
  createRoute({
    method: "put",
    path: PATH,
    operationId: "attachToCard",
    ...refuses(...CHANGE_REFUSALS, "attachment_too_large", "too_many_attachments"),
    description:
      `Puts a file on a card, or replaces one of the same name. It has at most ${MAX_ATTACHMENT_BYTES >> 20} MiB, and a card at most ` +
      `${MAX_ATTACHMENTS} files. The body is kept unchanged, with its content type.`,
    request: { params: AttachmentParams, headers: OpHeader, body: { content: BYTES_CONTENT } },
    responses: describeResponses(200, "Stored", CardAttachment),
  }),
  async (c) => {
    const { board, card, attachment: name } = c.req.valid("param");
    const bytes = new Uint8Array(await c.req.arrayBuffer());
    const mediaType = (c.req.header("content-type") ?? "application/octet-stream").slice(0, MAX_TYPE_CHARS);
    const call = toCall(c, [mediaType, bytes.length]);
    const { attachment } = unwrap(await openBoard(c, board).attach(call, card, { name, mediaType, bytes }));
    return c.json(attachment, 200);
  },
);

cardAttachments.openapi(
  createRoute({
    method: "post",
    path: `${PATH}/fetch`,
    operationId: "fetchToCard",
    ...refuses(...CHANGE_REFUSALS, ...(["attachment_too_large", "too_many_attachments"] as const), ...FETCH_REFUSALS),
    description:
      "Puts a file on a card that is fetched from a public address, or replaces one of the same name. It is not your word: who works on the card " +
      "reads it as material. The limits are those of a file that you send.",
    request: { params: AttachmentParams, headers: OpHeader, body: jsonBody(FetchAttachment) },
    responses: describeResponses(200, "Stored", CardAttachment),
  }),
  async (c) => {
    const { board, card, attachment: name } = c.req.valid("param");
    const calls = openBoard(c, board);
    unwrap(await calls.show(card)); // nothing is fetched for a card that does not exist
    const outbound = openOutbound(c.env, parseEnvSettings(c.env));
    const fetched = unwrap(await fetchAttachment(outbound, c.req.valid("json").url, c.req.raw.signal));
    const file = { name, bytes: fetched.bytes, mediaType: fetched.mediaType.slice(0, MAX_TYPE_CHARS) };
    const call = { ...toCall(c, c.req.valid("json")), author: { by: "board" as const } };
    const { attachment } = unwrap(await calls.attach(call, card, file));
    return c.json(attachment, 200);
  },
);

cardAttachments.openapi(
  createRoute({
    method: "get",
    path: PATH,
    operationId: "readAttachment",
    ...refuses("card_not_found", "attachment_not_found", "board_not_found"),
    description: "Reads a file of a card.",
    request: { params: AttachmentParams },
    responses: { 200: { description: "The file", content: BYTES_CONTENT }, default: PROBLEM_RESPONSE },
  }),
  async (c) => {
    const { board, card, attachment } = c.req.valid("param");
    const { bytes } = unwrap(await openBoard(c, board).readAttachment(card, attachment));
    // A file may contain anything, including a page with a script, so it is never displayed as part of this origin.
    const headers = { "content-type": "application/octet-stream", "x-content-type-options": "nosniff" };
    return new Response(bytes as Uint8Array<ArrayBuffer>, {
      headers: { ...headers, "content-disposition": "attachment" },
    });
  },
);

cardAttachments.openapi(
  createRoute({
    method: "delete",
    path: PATH,
    operationId: "detachFromCard",
    ...refuses(...CHANGE_REFUSALS, "attachment_not_found"),
    description: "Deletes a file of a card.",
    request: { params: AttachmentParams, headers: OpHeader },
    responses: { 204: { description: "Deleted" }, default: PROBLEM_RESPONSE },
  }),
  async (c) => {
    const { board, card, attachment } = c.req.valid("param");
    unwrap(await openBoard(c, board).detach(toCall(c), card, attachment));
    return c.body(null, 204);
  },
);
