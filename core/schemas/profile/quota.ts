// What the operator allows one profile to spend, beside the limits of the deployment: the stricter of the two is in force. Forms only.
import * as z from "zod";

const tokens = z.int().min(1);
const usd = z.number().positive();

/** Days and months are UTC's. An absent limit is the deployment's; a month has none of its own. */
export const Quota = z.strictObject({
  dayTokens: tokens.optional(),
  dayUsd: usd.optional(),
  monthTokens: tokens.optional(),
  monthUsd: usd.optional(),
});
export type Quota = z.infer<typeof Quota>;

/** Key of the one value of the section `quota`. */
export const QUOTA_KEY = "operator";
