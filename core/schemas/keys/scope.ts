// What a key may do. Stored with the key, checked by workers/api for each route, shown to the profile's owner. Forms only.
import * as z from "zod";

/** `read`: requests that change nothing. `write`: daily work. `admin`: keys, the audit log, settings that widen what may be done. */
export const Scope = z.enum(["read", "write", "admin"]);
export type Scope = z.infer<typeof Scope>;

/** Of a key that was made without scopes, also before keys had any. */
export const ALL_SCOPES: readonly Scope[] = Scope.options;
