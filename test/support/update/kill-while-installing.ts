// Begins an update and kills itself while its install runs: `node kill-while-installing.ts CHECKOUT`, with a SmallCheckout as JSON.
import { runUpdate } from "../../../scripts/update/run-update.ts";
import { takeLock } from "../../../scripts/update/recover.mjs";
import type { SmallCheckout } from "./small-checkout.ts";

const { root, from, to } = JSON.parse(process.argv[2]!) as SmallCheckout;
const endless = 'console.error("installing"); setInterval(() => "an install that never ends", 1000)';
const steps = { install: [process.execPath, "-e", endless], trial: [], askUpdate: [] };
const say = (line: string) => {
  if (line === "installing") process.kill(process.pid, "SIGKILL");
};
takeLock(root);
await runUpdate({ root, from, to, branch: "main", now: 0, signal: new AbortController().signal, say, steps });
