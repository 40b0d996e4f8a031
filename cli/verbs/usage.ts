// `talaria usage`: calls, tokens and cost of the profile.
import { UsageBy, UsageReport } from "../../core/schemas/usage.ts";
import { PAGE_FLAGS } from "../command-line/flags.ts";
import { describeMore, readPageFlags } from "../command-line/pages.ts";
import type { Column } from "../output/table.ts";
import { type Verb, readChoice, textFlag } from "../command-line/verb.ts";

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
        const query = {
          by: readChoice(flags, "by", UsageBy),
          from: textFlag(flags, "from"),
          to: textFlag(flags, "to"),
        };
        const reports: UsageReport[] = [];
        const collect = (answer: UsageReport) => (reports.push(answer), answer.lines);
        const options = { query, ...readPageFlags(flags) };
        const { items, next } = await client().list(UsageReport, "GET /v1/usage", collect, options);
        const report = reports[0]!;
        if (json) return output.json({ ...report, lines: items, next });
        const { totals, from, to, by } = report;
        output.table([...items, { ...totals, key: "all" }], toColumns(by), "");
        output.note(`${from} to ${to}, in UTC`);
        if (next !== undefined) output.note(describeMore(next));
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
