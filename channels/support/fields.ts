// The settings of a platform, declared once: a schema whose fields carry the words of the form. Called by channels/<platform>.ts. Pure.
import * as z from "zod";
import type { PlatformField } from "../../core/channels/platform.ts";

/** [own] Longer than any token or key of a platform. */
const MAX_CHARS = 4_000;
/** Control characters cannot be sent in a header. */
const ONE_LINE = /^[^\p{Cc}]*$/u;

function line(meta: { description: string; secret?: true }) {
  return z.string().trim().min(1).max(MAX_CHARS).regex(ONE_LINE, "must be one line").meta(meta);
}

/** A setting that everybody who may see the channel may see. */
export function setting(description: string) {
  return line({ description });
}

/** A setting that is sealed when stored. */
export function secret(description: string) {
  return line({ description, secret: true });
}

/** The address of a server, without a slash at its end. */
export function serverUrl(description: string) {
  const address = z.url({ protocol: /^https?$/ }).max(MAX_CHARS);
  return z
    .string()
    .trim()
    .transform((url) => url.replace(/\/$/, ""))
    .pipe(address)
    .meta({ description });
}

/** The form of a strict object of such fields, in their order. */
export function toForm(fields: z.ZodObject): PlatformField[] {
  return Object.entries(fields.shape).map(([name, field]) => {
    const isOptional = field instanceof z.ZodOptional;
    const { description, secret: isSecret } =
      (isOptional ? (field.unwrap() as z.ZodType) : (field as z.ZodType)).meta() ?? {};
    return { name, help: description ?? "", secret: isSecret === true, required: !isOptional };
  });
}
