// Reads parts of a client's body and refuses what is wrong with its path, as `body_invalid`. Unknown fields are ignored: clients send those
// of newer versions of their API. Pure.
import type * as z from "zod";
import type { JsonObject } from "../../../core/schemas/entry.ts";
import type { GivenImage } from "../../../core/schemas/media/image.ts";
import { toObject } from "../../../core/unknown-object.ts";
import { AppError } from "../problems.ts";

/** The value as the schema has it. Throws `body_invalid`, which names `path` and what is below it. */
export function readPart<Schema extends z.ZodType>(schema: Schema, value: unknown, path = ""): z.infer<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw refuse([path, ...issue!.path.map(String)].filter((part) => part !== "").join("."), issue!.message);
}

/** `message` says what is wrong and what to do, without a full stop. */
export function refuse(path: string, message: string): AppError {
  const where = path === "" ? "the body" : `\`${path}\``;
  return new AppError("body_invalid", `Invalid value in ${where}: ${message}.`, {
    errors: [{ in: "json", path, message }],
  });
}

/** Images are sent with the request: the server fetches nothing for a client. */
export function readImageUrl(url: unknown, path: string): GivenImage {
  if (typeof url === "string" && url.startsWith("data:")) return { data: url };
  throw refuse(path, "images are data URLs such as data:image/png;base64,…; send the image itself");
}

/** Arguments of a call as a client repeats them. */
export function readArguments(json: string): JsonObject {
  try {
    return toObject(JSON.parse(json) as unknown) ?? {};
  } catch {
    return {}; // the client's model wrote no JSON
  }
}
