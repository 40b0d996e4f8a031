// The images of a session's messages, as they were sent. Their facts are in the log: GET …/entries.
import { createRoute } from "@hono/zod-openapi";
import * as z from "zod";
import { Sha256 } from "../../../core/schemas/ids.ts";
import { unwrap } from "../problems.ts";
import { PROBLEM_RESPONSE, createRouter, refuses } from "../router.ts";
import { openSession } from "./session-rpc.ts";
import { SessionParams } from "./sessions.ts";

export const images = createRouter();

images.openapi(
  createRoute({
    method: "get",
    path: "/v1/sessions/{session}/images/{image}",
    operationId: "getImage",
    ...refuses("image_not_found"),
    description: "Reads an image of a message, byte for byte, by the `sha256` that its entry names.",
    request: { params: SessionParams.extend({ image: Sha256 }) },
    responses: {
      200: { description: "The image", content: { "image/*": { schema: z.string().meta({ format: "binary" }) } } },
      default: PROBLEM_RESPONSE,
    },
  }),
  async (c) => {
    const { session, image } = c.req.valid("param");
    const { type, bytes } = unwrap(await openSession(c.env, c.var.profile, session).getImage(image));
    // A file may be an image and a page with a script at once: it is never displayed as anything but this type.
    const headers = { "content-type": type, "x-content-type-options": "nosniff", "content-disposition": "attachment" };
    return new Response(bytes as Uint8Array<ArrayBuffer>, { headers });
  },
);
