// What a role of rehearsal decides: words, and calls as name and arguments. Turned into a streamed Answer by rehearsal.ts.
import type { JsonObject } from "../../schemas/entry.ts";

export interface Reply {
  text: string;
  calls?: [name: string, args: JsonObject][];
}
