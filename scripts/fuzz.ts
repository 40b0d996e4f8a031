// `npm run fuzz`: Schemathesis, a fuzzer from PyPI, against a stack of its own. It reads /openapi.json and sends valid and invalid requests
// to every route; an answer with a status of 500 or above, or one that the document does not describe, is a failure. Last line:
// {"requests","serverErrors","undocumented","seed"}, `null` where Python or the package cannot be had. Ends with 1 for a failure.
import { mkdirSync } from "node:fs";
import { resolve } from "node:path";
import { type Client, createClient } from "../cli/connection/client.ts";
import { parseFlags, parseWholeNumber, runCommand } from "./command-line.ts";
import { type FuzzFigures, installFuzzer, runFuzzer } from "./fuzz/schemathesis.ts";
import { withOwnStack } from "./stack/own-stack.ts";

const USAGE = `npm run fuzz -- [--seconds N] [--seed N] [--only TEXT]

Sends generated requests to every route of a stack of its own.

  --seconds N   how long at most (default 180)
  --seed N      the seed of the requests (default 1)
  --only TEXT   only routes whose path contains TEXT
Needs Python 3.10 or newer; the first run installs the fuzzer from PyPI into .talaria/fuzz.`;

const HOME = resolve(import.meta.dirname, "../.talaria/fuzz");

await runCommand(USAGE, () => {
  const flags = parseFlags({ seconds: { type: "string" }, seed: { type: "string" }, only: { type: "string" } });
  return fuzz({
    seconds: parseWholeNumber(USAGE, "--seconds", flags.seconds ?? "180", 1),
    seed: parseWholeNumber(USAGE, "--seed", flags.seed ?? "1", 0),
    only: flags.only,
  });
});

async function fuzz(options: { seconds: number; seed: number; only: string | undefined }): Promise<number> {
  mkdirSync(HOME, { recursive: true });
  const fuzzer = await installFuzzer(HOME);
  if ("reason" in fuzzer) {
    console.log(fuzzer.reason);
    console.log(JSON.stringify({ requests: null, serverErrors: null, undocumented: null, seed: options.seed }));
    return 0;
  }
  return withOwnStack("fuzz", async ({ url, profile, key }) => {
    const existing = { profile, ...(await makeExisting(createClient({ url, key }))) };
    return report(await runFuzzer(fuzzer, { ...options, url, key, existing, home: HOME }), options.seed);
  });
}

/** A session with a turn, and what else a profile has from its first day. */
async function makeExisting(client: Client): Promise<Record<string, string>> {
  const { session } = await client.createSession({});
  for await (const _ of client.streamMessage(session, "Write a file notes.txt that says hello.")) continue;
  return { session, n: "1", name: "using-the-workspace", path: "notes.txt", checkpoint: "1", store: "memory" };
}

function report({ requests, failures }: FuzzFigures, seed: number): number {
  for (const { check, routes } of failures) console.log(`${check}:\n  ${routes.join("\n  ")}`);
  const count = (isServerError: boolean) =>
    failures
      .filter(({ check }) => /server error/i.test(check) === isServerError)
      .reduce((sum, { routes }) => sum + Math.max(1, routes.length), 0);
  if (failures.length > 0) console.log(`Requests and answers: ${HOME}`);
  console.log(JSON.stringify({ requests, serverErrors: count(true), undocumented: count(false), seed }));
  return failures.length === 0 ? 0 : 1;
}
