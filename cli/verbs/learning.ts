// `talaria learning`: what was learned, whether it helps, what it cost.
import type { Verb } from "../command-line/verb.ts";
import { renderLearning } from "../learning.ts";

export const learning: Verb = {
  name: "learning",
  help: "show what was learned, whether it helps and what it cost",
  actions: [
    {
      name: null,
      words: "[SKILL]",
      help: "the ledger of the profile, or of one skill",
      async run({ words: [skill], json, output, client }) {
        const ledger = await client().learning(skill === undefined ? {} : { skill });
        if (json) output.json(ledger);
        else output.text(renderLearning(ledger));
      },
    },
  ],
};
