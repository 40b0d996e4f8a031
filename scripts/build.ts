// `npm run build`: writes the page into dist/dashboard, from where wrangler uploads it. All commands here do this by themselves; only a
// bare `wrangler` needs it.
import { relative } from "node:path";
import { parseFlags, runCommand } from "./command-line.ts";
import { PAGE_FOLDER, buildPage } from "./dashboard/build.ts";
import { root } from "./stack/wrangler.ts";

const USAGE = `Usage: npm run build

Builds the page (dashboard/) into dist/dashboard. Takes milliseconds when nothing has changed.

  -h, --help  this text`;

await runCommand(USAGE, async () => {
  parseFlags({});
  await buildPage();
  console.log(`The page is in ${relative(root, PAGE_FOLDER)}.`);
  return 0;
});
