// `npm run bench:webhooks [-- --count 20000]`: posts distinct deliveries to ten webhook routes of a real stack, each one to three times and out
// of order, kills the stack with SIGKILL in the middle, and counts the turns that came of them. The last line is one JSON object.
// Method and limits: bench/README.md.
import { parseWholeNumber, readFlags, runCommand } from "../scripts/command-line.ts";
import { runWebhooks } from "./webhooks/run.ts";

const USAGE = `Usage: npm run bench:webhooks [-- --count N --seed N]

  --count N   distinct deliveries (default 1000)
  --seed N    seed of the order and the repetitions (default 1)
  -h, --help  this text; the method is in bench/README.md`;

const values = readFlags(USAGE, {
  count: { type: "string", default: "1000" },
  seed: { type: "string", default: "1" },
});
const count = parseWholeNumber(USAGE, "--count", values.count, 10);
const seed = parseWholeNumber(USAGE, "--seed", values.seed, 0);

await runCommand(USAGE, async () => {
  const began = performance.now();
  const say = (line: string) => console.error(`[${((performance.now() - began) / 1000).toFixed(1)} s] ${line}`);
  console.log(JSON.stringify(await runWebhooks({ count, seed, say })));
  return 0;
});
