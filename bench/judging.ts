// `npm run bench:judging [-- --replies FILE --similar FILE --skills FILE --queries FILE] [--base-url URL --model NAME]`: how well the
// product judges replies, tells kinds of requests apart and finds skills, by rules and by a model. Prints a report; the last line
// is one JSON object. Method and limits: bench/README.md.
import { join } from "node:path";
import type { Model } from "../core/agent/contract.ts";
import { messageOf } from "../core/errors.ts";
import { readFlags } from "../scripts/command-line.ts";
import { createModelJudge } from "./judging/model.ts";
import { measureQueries } from "./judging/queries.ts";
import { type JudgedReply, judgeByRules, toReplyFigures } from "./judging/replies.ts";
import { printMistakes } from "./judging/report.ts";
import { PairRow, QueryRow, ReplyRow, readRows, readSkills } from "./judging/rows.ts";
import { measureSimilar } from "./judging/similar.ts";
import { SERVER_FLAGS, openModelServer } from "./support/given-model.ts";

const SURFACES = join(import.meta.dirname, "surfaces");
const USAGE = `Usage: npm run bench:judging [-- --replies FILE --similar FILE --skills FILE --queries FILE] [--base-url URL --model NAME]

  --replies FILE   what people wrote after an answer, and what it says of it
  --similar FILE   pairs of requests, the same kind of work or not
  --skills FILE    the library that is searched
  --queries FILE   requests, each with the skill that fits
  --base-url URL   an OpenAI-compatible server that judges the replies too; its key is in BENCH_API_KEY
  --model NAME     the server's model
  -h, --help       this text; formats and method are in bench/README.md`;

const text = { type: "string" } as const;
const flags = readFlags(USAGE, { replies: text, similar: text, skills: text, queries: text, ...SERVER_FLAGS });
const { model, ...rows } = readAll();

const judged: JudgedReply[] = rows.replies.map((row) => ({ row, said: judgeByRules(row) }));
printMistakes("rules", judged);
const figures = {
  replies: toReplyFigures(judged),
  similar: measureSimilar(rows.similar),
  queries: await measureQueries(rows.queries, rows.skills),
  model: model && (await judgeByModel(model)),
};
console.log(JSON.stringify(figures));

/** Similarity and search ask no model in the product: they have no figure of one. */
async function judgeByModel(model: Model) {
  const judge = createModelJudge(model);
  const byModel: JudgedReply[] = [];
  for (const row of rows.replies) {
    byModel.push({ row, said: await judge.judge(row) });
    if (byModel.length % 25 === 0)
      console.error(`${byModel.length} of ${rows.replies.length} replies judged by ${model.name}`);
  }
  printMistakes(model.name, byModel);
  for (const failure of judge.failures) console.log(`no answer  ${failure}`);
  console.log("model      similar and queries are null: the product asks no model for them");
  return { replies: toReplyFigures(byModel), similar: null, queries: null };
}

function readAll() {
  const own = (folder: string, name: string) => join(SURFACES, folder, name);
  try {
    return {
      model: openModelServer(flags),
      replies: readRows(flags.replies ?? own("replies", "replies.jsonl"), ReplyRow),
      similar: readRows(flags.similar ?? own("similar", "similar.jsonl"), PairRow),
      queries: readRows(flags.queries ?? own("skill-queries", "skill-queries.jsonl"), QueryRow),
      skills: readSkills(flags.skills ?? own("skill-queries", "skills.jsonl")),
    };
  } catch (error) {
    return refuse(`${messageOf(error)}.`);
  }
}

function refuse(sentence: string): never {
  console.error(sentence);
  process.exit(2);
}
