// Which profile an e-mail address belongs to, in R2: `email/<SHA-256 of the address>`. Create-only, so that nobody takes another's. Forms only.
import * as z from "zod";
import { ProfileId } from "../ids.ts";

export const EmailAddressOwner = z.object({ v: z.literal(1), address: z.string(), profile: ProfileId });
export type EmailAddressOwner = z.infer<typeof EmailAddressOwner>;
