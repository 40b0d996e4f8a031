// `npm run bench:judging [-- --replies FILE --similar FILE --skills FILE --queries FILE] [--base-url URL --model NAME]`: how well the
// product judges replies, recognises similar requests and finds skills, by rules and by a model. Prints a report; the last line is
// one JSON object. Method and limits: bench/README.md.
import { join } from "node:path";
import type { Model } from "../core/agent/contract.ts";
import { messageOf } from "../core/errors.ts";
import { readFlags } from "../scripts/command-line.ts";
import { nameKinds } from "./judging/kinds.ts";
import { createModelJudge } from "./judging/model.ts";
import { measureQueries } from "./judging/queries.ts";
import { type JudgedReply, judgeByRules, toReplyFigures } from "./judging/replies.ts";
import { printFailures, printMistakes } from "./judging/report.ts";
import { selectSkills, writeRequests } from "./judging/requests.ts";
import { PairRow, QueryRow, ReplyRow, readRows, readSkills } from "./judging/rows.ts";
import { measureSimilar } from "./judging/similar.ts";
import { SERVER_FLAGS, openModelServer } from "./support/given-model.ts";

const SURFACES = join(import.meta.dirname, "surfaces");
const USAGE = `Usage: npm run bench:judging [-- --replies FILE --similar FILE --skills FILE --queries FILE] [--base-url URL --model NAME]

  --replies FILE   people's replies to answers, each with its verdict
  --similar FILE   pairs of requests, each marked as the same kind of work or not
  --skills FILE    the library to search
  --queries FILE   requests, each with the skill that fits
  --base-url URL   an OpenAI-compatible server whose model judges the replies, names kinds of work and writes requests for skills;
                   its key is in BENCH_API_KEY
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

async function judgeByModel(model: Model) {
  const replies = await judgeReplies(model);
  const similar = await measureKinds(model);
  return { replies, similar, queries: await measureRequests(model) };
}

async function judgeReplies(model: Model) {
  const judge = createModelJudge(model);
  const byModel: JudgedReply[] = [];
  for (const row of rows.replies) {
    byModel.push({ row, said: await judge.judge(row) });
    sayEvery25(byModel.length, rows.replies.length, "replies judged", model);
  }
  printMistakes(model.name, byModel);
  printFailures(judge.failures);
  return toReplyFigures(byModel);
}

async function measureKinds(model: Model) {
  const requests = rows.similar.flatMap(({ a, b }) => [a, b]);
  const { kinds, failures } = await nameKinds(model, requests, (done, of) =>
    sayEvery25(done, of, "requests classified", model),
  );
  console.log(`${model.name}: ${new Set(requests).size} requests to classify, ${kinds.size} got a kind of work`);
  printFailures(failures);
  return measureSimilar(rows.similar, kinds);
}

async function measureRequests(model: Model) {
  const selected = await selectSkills(rows.queries, rows.skills);
  const { files, failures } = await writeRequests(model, selected, (done, of) =>
    console.error(`${done} of ${of} skills given to ${model.name} to write requests for`),
  );
  console.log(
    `${model.name}: wrote requests for ${files.size} of ${selected.length} skills; the library has ${rows.skills.length}`,
  );
  printFailures(failures);
  const skills = rows.skills.map((skill) => ({ ...skill, requests: files.get(skill.name) }));
  return measureQueries(rows.queries, skills);
}

function sayEvery25(done: number, of: number, what: string, { name }: Model): void {
  if (done % 25 === 0) console.error(`${done} of ${of} ${what} by ${name}`);
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
