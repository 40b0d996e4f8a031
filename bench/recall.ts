// `npm run bench:recall [-- --data FILE]`: how often the messages that answer a question are among the first ten that the product's
// search finds, and how long a search takes. FILE has conversations in the format of LoCoMo, plain or gzip; the default is a small
// fixture. Prints a report; the last line is one JSON object. Method and limits: bench/README.md.
import { readFlags } from "../scripts/command-line.ts";
import { readConversations } from "./recall/conversations.ts";
import { measureRecall } from "./recall/measure.ts";
import { printRecall, toRecallLine } from "./recall/report.ts";
import { SIZES, type SizeTiming, measureSearchTime } from "./recall/search-time.ts";

const USAGE = `Usage: npm run bench:recall [-- --data FILE --sizes LIST --no-million]

  --data FILE   conversations in the format of LoCoMo, plain or gzip (default: a small fixture)
  --sizes LIST  archive sizes whose search time is measured, of ${SIZES.join(",")} (default: all)
  --no-million  omits the size of 1000000, which takes minutes
  -h, --help    this text; the method is in bench/README.md`;
/** Other messages in the archive of all conversations. */
const POOLED_OTHERS = 100_000;

const { data, sizes } = readArguments();
const conversations = readConversations(data);
if (!conversations.ok) refuse(conversations.failure.message);
const began = performance.now();
const say = (line: string) => console.error(`[${((performance.now() - began) / 1000).toFixed(1)} s] ${line}`);

const recall = measureRecall(conversations.value, POOLED_OTHERS, say);
const timings: SizeTiming[] = SIZES.map((size) => {
  if (!sizes.has(size)) return { size, skipped: "the flags omit it" };
  say(`filling an archive of ${size} messages`);
  return measureSearchTime(conversations.value, size);
});
printRecall(conversations.value, recall, timings);
console.log(toRecallLine(recall, timings));

function readArguments(): { data: string | undefined; sizes: Set<number> } {
  const flags = readFlags(USAGE, {
    data: { type: "string" },
    sizes: { type: "string", default: SIZES.join(",") },
    million: { type: "boolean", default: true },
  });
  const chosen = new Set(flags.sizes.split(",").map(Number));
  if ([...chosen].some((size) => !SIZES.includes(size)))
    refuse(`--sizes takes some of ${SIZES.join(",")}, separated by commas.`);
  if (!flags.million) chosen.delete(1_000_000);
  return { data: flags.data, sizes: chosen };
}

function refuse(sentence: string): never {
  console.error(sentence);
  process.exit(2);
}
