// `talaria pending`: changes of skills and memory that wait for the person's decision.
import { PendingDetail, PendingInfo, PendingList } from "../../core/schemas/approvals/pending.ts";
import { PAGE_FLAGS } from "../command-line/flags.ts";
import { EXIT } from "../command-line/exit-codes.ts";
import { showList } from "../command-line/pages.ts";
import type { Column } from "../output/table.ts";
import { formatTime } from "../output/times.ts";
import type { Action, Verb } from "../command-line/verb.ts";

const LINE: Column<PendingInfo>[] = [
  { title: "id", cell: ({ id }) => id },
  { title: "state", cell: ({ state }) => state },
  { title: "asked", cell: ({ askedAt }) => formatTime(askedAt) },
  { title: "why", cell: ({ reason }) => reason },
  { title: "change", cell: ({ summary }) => summary, shrinks: true },
];

export const pending: Verb = {
  name: "pending",
  help: "list, show, approve or reject changes of skills and memory that wait for you",
  actions: [
    {
      name: "list",
      help: "waiting and recently decided changes, oldest first",
      flags: PAGE_FLAGS,
      run: (call) =>
        showList(call, {
          schema: PendingList,
          route: "GET /v1/pending",
          field: "pending",
          itemsOf: (answer) => answer.pending,
          columns: LINE,
          empty: "Nothing waits.",
        }),
    },
    {
      name: "show",
      words: "ID",
      help: "one change and its diff",
      async run({ words: [id = ""], json, output, client }) {
        const change = await client().call(PendingDetail, "GET /v1/pending/{pending}", { params: { pending: id } });
        if (json) return output.json(change);
        output.text(`${change.summary}\n${change.state}; ${change.why}\n\n${change.diff}`);
        if (change.now !== undefined) output.text(`\nToday it would be:\n${change.now}`);
      },
    },
    decide("approve", true),
    decide("reject", false),
  ],
};

function decide(name: string, approve: boolean): Action {
  return {
    name,
    words: "ID...",
    help: approve ? "carry out these changes" : "refuse these changes",
    async run({ words, json, output, client }) {
      const api = client();
      const decided: PendingInfo[] = [];
      for (const id of words) {
        const route = "POST /v1/pending/{pending}";
        const change = await api.call(PendingInfo, route, { params: { pending: id }, body: { approve } });
        const { state, outcome, summary } = change;
        decided.push(change);
        if (!json) output.note(`${id} is ${state}: ${outcome ?? summary}`);
      }
      if (json) output.json({ pending: decided });
      return decided.every(({ state }) => state === (approve ? "approved" : "rejected")) ? EXIT.answered : EXIT.failed;
    },
  };
}
