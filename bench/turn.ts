// `npm run bench:turn [-- --turns 100] [--no-peer]`: the cost of a turn without the model's own time, for Talaria, Cloudflare's
// Agents SDK and a bare Durable Object, measured side by side. Prints a report; the last line is one JSON object.
// Method and limits: bench/README.md.
import { readFlags, parseWholeNumber } from "../scripts/command-line.ts";
import { installPeers } from "./turn/install-peers.ts";
import { measureTurns } from "./turn/measure.ts";
import { printReport, toLine } from "./turn/report.ts";
import { createBare } from "./support/subjects/bare.ts";
import { createPeer } from "./support/subjects/peer.ts";
import { startStage } from "./support/stage.ts";
import { createTalaria } from "./support/subjects/talaria.ts";

const SETTLE_MS = 90_000;

const USAGE = `Usage: npm run bench:turn [-- --turns N --no-peer]

  --turns N   turns per subject (default 100)
  --no-peer   do not measure Cloudflare's Agents SDK
  -h, --help  this text; the method is in bench/README.md`;

const values = readFlags(USAGE, {
  turns: { type: "string", default: "100" },
  peer: { type: "boolean", default: true },
});
const turns = parseWholeNumber(USAGE, "--turns", values.turns, 1);
const began = performance.now();
const say = (line: string) => console.error(`[${((performance.now() - began) / 1000).toFixed(1)} s] ${line}`);

if (values.peer) await installPeers(say);
say("bundling the Workers");
const stage = await startStage({ peer: values.peer });
try {
  const peers = stage.peerUrl ? [createPeer(stage.peerUrl)] : [];
  const measured = await measureTurns({
    server: stage.server,
    subjects: [await createTalaria(stage.oursUrl), ...peers, createBare(stage.bareUrl)],
    forRows: [await createTalaria(stage.oursUrl, { freshProfiles: true }), ...peers],
    turns,
    settleMs: SETTLE_MS,
    say,
  });
  printReport(measured, turns);
  console.log(toLine(measured));
} finally {
  await stage.stop();
}
