// The decision of one role of rehearsal: a text, and calls as name and arguments. rehearsal.ts streams it as an Answer.
import type { JsonObject } from "../../schemas/entry.ts";

export interface Reply {
  text: string;
  calls?: [name: string, args: JsonObject][];
}
