// `talaria prompt-size`: what every model call of a session repeats, by section.
import { PromptSize } from "../../core/schemas/sessions/prompt-size.ts";
import type { Verb } from "../command-line/verb.ts";
import { UsageError } from "../connection/connection.ts";
import type { Column } from "../output/table.ts";
import { count } from "../show.ts";

interface Line {
  name: string;
  characters: number;
  tokens: number;
}

const LINE: Column<Line>[] = [
  { title: "part", cell: ({ name }) => name, shrinks: true },
  { title: "characters", cell: ({ characters }) => characters },
  { title: "tokens (estimated)", cell: ({ tokens }) => tokens },
];

export const promptSize: Verb = {
  name: "prompt-size",
  help: "show what the system prompt and the tools of a session weigh",
  actions: [
    {
      name: null,
      words: "[SESSION]",
      help: "each part with its characters and estimated tokens; by default of the newest session",
      async run({ words: [given], json, output, client }) {
        const api = client();
        const session = given ?? (await api.recentSessions())[0]?.session;
        if (session === undefined) throw new UsageError("There is no session yet. `talaria` begins one.");
        const size = await api.call(PromptSize, "GET /v1/sessions/{session}/prompt", { params: { session } });
        if (json) return output.json({ session, ...size });
        const { sections, tools, total } = size;
        const lines = [
          ...sections,
          { ...tools, name: `(${count(tools.count, "tool")})` },
          { ...total, name: "all, in every model call" },
        ];
        output.table(lines, LINE, "");
        if (size.epoch === 0) output.note("The session has no prompt yet: its first turn makes one.");
      },
    },
  ],
};
