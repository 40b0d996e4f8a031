// An image as the log, a message and the API name it: its hash and what its header says. The bytes are stored elsewhere
// (core/session/images/image-rows.ts). A stored format: for a change, raise the version of the entry that holds it.
import * as z from "zod";
import { Sha256 } from "../ids.ts";

/** What every provider takes. */
export const ImageType = z.enum(["image/png", "image/jpeg", "image/webp", "image/gif"]);
export type ImageType = z.infer<typeof ImageType>;

/** `width` and `height` in pixels. `name`: the file it came from. */
export const ImageRef = z.object({
  sha256: Sha256,
  type: ImageType,
  bytes: z.int().min(1),
  width: z.int().min(1),
  height: z.int().min(1),
  name: z.string().optional(),
});
export type ImageRef = z.infer<typeof ImageRef>;

export type ImageSize = Pick<ImageRef, "width" | "height">;

/** An image of a message to post: a file of the workspace, or a data URL. */
export const GivenImage = z.union(
  [
    z.strictObject({
      /** Of a file in the workspace. The message keeps the bytes that the file has now. */
      path: z.string().min(1).max(1_024),
    }),
    z.strictObject({
      /** `data:image/png;base64,…`. The declared type is not trusted: the bytes decide. */
      data: z.string().startsWith("data:"),
      name: z.string().min(1).max(200).optional(),
    }),
  ],
  "an image is {path} of a file in the workspace, or {data, name?} with a data URL",
);
export type GivenImage = z.infer<typeof GivenImage>;

/** The extension of a file of this type, without the dot. */
export const EXTENSIONS: Record<ImageType, string> = {
  "image/png": "png",
  "image/jpeg": "jpg",
  "image/webp": "webp",
  "image/gif": "gif",
};
