// `talaria search`: finds messages of earlier sessions.
import { fromTurnId } from "../../core/schemas/ids.ts";
import { SearchResult } from "../../core/schemas/api.ts";
import { formatTime } from "../output/times.ts";
import { type Verb, readChoice, textFlag } from "../command-line/verb.ts";
import { toOneLine } from "../output/plain-text.ts";

export const search: Verb = {
  name: "search",
  help: "find messages of earlier sessions",
  actions: [
    {
      name: null,
      words: "QUERY...",
      help: 'messages with these words, best first; "words in quotes" are found exactly',
      flags: {
        role: { type: "string", value: "ROLE", help: "user, assistant or tool" },
        from: { type: "string", value: "DAY", help: "the first day, as 2026-03-01, in UTC" },
        to: { type: "string", value: "DAY", help: "the last day" },
        limit: { type: "string", value: "N", help: "at most N messages" },
      },
      async run({ words, flags, json, output, client }) {
        const pick = (name: string) => textFlag(flags, name);
        const query = {
          q: words.join(" "),
          role: readChoice(flags, "role", SearchResult.shape.role),
          from: pick("from"),
          to: pick("to"),
          limit: pick("limit"),
        };
        const found = await client().search(query);
        if (json) return output.json(found);
        if (found.results.length === 0) output.note("Nothing was found.");
        for (const { session, title, turn, role, at, snippet } of found.results) {
          const where = `${session}, turn ${fromTurnId(turn).n}, ${role}, ${formatTime(at)}`;
          output.text(`${where}${title ? `: ${toOneLine(title)}` : ""}\n  ${toOneLine(snippet.text)}\n`);
        }
        if (found.missing.length > 0)
          output.note(`Not searched now: ${found.missing.join(", ")}. Try again in a minute.`);
      },
    },
  ],
};
