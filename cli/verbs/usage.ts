// `talaria usage`: calls, tokens and cost of the profile.
import { UsageBy, UsageReport } from "../../core/schemas/usage.ts";
import { PAGE_FLAGS } from "../command-line/flags.ts";
import { listPages } from "../command-line/pages.ts";
import type { Column } from "../output/table.ts";
import { type Verb, textFlag } from "../command-line/verb.ts";
import { UsageError } from "../connection/connection.ts";

type Line = UsageReport["lines"][number];

export const usage: Verb = {
  name: "usage",
  help: "show what was spent",
  actions: [
    {
      name: null,
      help: "calls, tokens and dollars of the last 30 days, or of other days",
      flags: {
        by: { type: "string", value: UsageBy.options.join("|"), help: "one line for each (default: day)" },
        from: { type: "string", value: "DAY", help: "the first day, as 2026-03-01, in UTC" },
        to: { type: "string", value: "DAY", help: "the last day" },
        ...PAGE_FLAGS,
      },
      async run({ flags, json, output, client }) {
        const by = textFlag(flags, "by");
        if (by !== undefined && !UsageBy.safeParse(by).success)
          throw new UsageError(`--by takes ${UsageBy.options.join(", ")}, not ${JSON.stringify(by)}.`);
        let report: UsageReport | null = null;
        const { items, next } = await listPages(client().http, {
          schema: UsageReport,
          path: "/v1/usage",
          itemsOf: (answer) => {
            report ??= answer;
            return answer.lines;
          },
          flags,
          query: { by, from: textFlag(flags, "from"), to: textFlag(flags, "to") },
        });
        const { totals, from, to, by: used } = report as unknown as UsageReport;
        if (json) return output.json({ ...(report as unknown as UsageReport), lines: items, next });
        output.table([...items, { ...totals, key: "all" }], toColumns(used), "");
        output.note(`${from} to ${to}, in UTC`);
        if (next !== undefined) output.note(`More: --after ${next}`);
      },
    },
  ],
};

function toColumns(by: UsageBy): Column<Line>[] {
  return [
    { title: by, cell: ({ key }) => key, shrinks: true },
    { title: "calls", cell: ({ calls }) => calls },
    { title: "tokens", cell: ({ tokens }) => tokens },
    { title: "in", cell: ({ input }) => input },
    { title: "out", cell: ({ output }) => output },
    { title: "cached", cell: ({ cacheRead }) => cacheRead },
    { title: "usd", cell: ({ usd }) => usd.toFixed(4) },
  ];
}
