// The trial of a version before it is put in place: `node scripts/run.mjs scripts/update/trial.ts STATE KEY-FILE`, started by the update in
// the new version's folder. Starts the stack on a copy of the state, which it may change and which is thrown away. Nothing that the stack
// does reaches outside: it has no model key, polls no channel, fires no cron trigger, and its outbound proxy refuses every request. Reads
// each profile by its export and its lists, which open every object and upgrade its tables. The exit code is 0 only if all could be read.
import { existsSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import * as z from "zod";
import { createClient } from "../../cli/connection/client.ts";
import { exportProfile } from "../../cli/moving/export-profile.ts";
import { createMovingClient } from "../../cli/moving/moving-client.ts";
import { CreatedKey } from "../../core/schemas/api.ts";
import { PlainError, UsageError, parseWords, runCommand } from "../command-line.ts";
import { LocalAccess, listProfiles, readOperatorToken } from "../stack/local-state.ts";
import { readIfThere } from "../stack/private-file.ts";
import { onStopSignal } from "../stack/processes.ts";
import { checkState } from "../stack/state-check.ts";
import { type Stack, startStack } from "../stack/stack.ts";
import { selectWorkerVars } from "../stack/worker-vars.ts";

const USAGE = `Usage: node scripts/run.mjs scripts/update/trial.ts STATE KEY-FILE

Starts this version on a copy of a state, offline, and reads every profile. The copy is changed.

  -h, --help  this text`;

/** What the stored forms depend on: limits of sizes, and the key of sealed secrets. */
const NEEDED_VARS = ["TALARIA_SETTINGS", "TALARIA_SEALING_KEY"];

/** What an export leaves out, and what people look at: one list of each object and store. */
const LISTS = [
  ...[
    "skills",
    "memory",
    "pending",
    "reviews",
    "learning",
    "curator/runs",
    "mcp/servers",
    "channels",
    "deliveries",
    "jobs",
  ],
  ...[
    "goals",
    "roles",
    "webhooks",
    "hooks",
    "usage",
    "keys",
    "sign-ins",
    "settings",
    "personalities",
    "approvals",
    "policies",
  ],
  ...["hub/skills", "hub/taps", "training/jobs", "search?q=a"],
];
/** The newest. The export has read the rows of all. */
const READ_SESSIONS = 20;
const BoardList = z.object({ boards: z.array(z.object({ name: z.string() })) });
const SessionList = z.object({ sessions: z.array(z.object({ session: z.string() })) });

await runCommand(USAGE, () => {
  const [stateDir, accessFile, ...more] = parseWords({}, process.argv.slice(2)).positionals;
  if (stateDir === undefined || accessFile === undefined || more.length > 0) throw new UsageError("Give two paths.");
  return tryState(stateDir, accessFile);
});

async function tryState(stateDir: string, accessFile: string): Promise<number> {
  const hasState = existsSync(join(stateDir, "data"));
  checkState(stateDir);
  const token = readOperatorToken(stateDir);
  const abort = new AbortController();
  onStopSignal(() => abort.abort());
  const vars = selectWorkerVars(process.env, token, NEEDED_VARS);
  const stack = await startStack({ stateDir, vars, isOffline: true, say: console.error, signal: abort.signal });
  try {
    await createClient({ url: stack.url, key: token }).health();
    if (!hasState) {
      await createClient({ url: stack.url, key: token }).createProfile();
      console.error("There is no state yet: a first profile could be created.");
      return 0;
    }
    await checkKey(stack, accessFile);
    const profiles = listProfiles(stateDir);
    for (const [i, profile] of profiles.entries()) {
      console.error(`Reading profile ${i + 1} of ${profiles.length}.`);
      await readProfile({ stack, token, stateDir }, profile);
    }
    return 0;
  } finally {
    await stack.stop();
  }
}

interface Trial {
  stack: Stack;
  /** The operator's. */
  token: string;
  stateDir: string;
}

/** The key that the terminal uses is one of the state, unless the person had changed it. */
async function checkKey(stack: Stack, accessFile: string): Promise<void> {
  const text = readIfThere(accessFile);
  const access = LocalAccess.safeParse(text === null ? null : parseJson(text));
  if (!access.success) return;
  const answer = await fetch(`${stack.url}/v1/keys`, { headers: { authorization: `Bearer ${access.data.key}` } });
  if (answer.status >= 500) throw new PlainError(`GET /v1/keys answered ${answer.status}: ${await answer.text()}`);
  if (!answer.ok)
    console.error(`The key in local.json is not accepted (${answer.status}): the next start makes a new one.`);
}

async function readProfile({ stack, token, stateDir }: Trial, profile: string): Promise<void> {
  const answer = await fetch(`${stack.url}/v1/keys`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ profile, label: "trial of an update" }),
  });
  const text = await answer.text();
  if (!answer.ok) {
    const { code } = z.object({ code: z.string().optional() }).parse(parseJson(text) ?? {});
    if (code === "profile_gone" || code === "profile_not_found") return;
    throw new PlainError(`A key for profile ${profile} was refused (${answer.status}): ${text.slice(0, 300)}`);
  }
  const { key } = CreatedKey.parse(JSON.parse(text));
  const file = join(dirname(stateDir), "profile.tar");
  try {
    await exportProfile(createMovingClient({ url: stack.url, key }), file);
  } catch (error) {
    throw new PlainError(`Profile ${profile} could not be read: ${(error as Error).message}`);
  } finally {
    rmSync(file, { force: true });
  }
  for (const list of LISTS) await readList(stack, key, list);
  const { boards } = BoardList.parse(await readList(stack, key, "boards"));
  for (const { name } of boards) await readList(stack, key, `boards/${name}/cards`);
  const { sessions } = SessionList.parse(await readList(stack, key, `sessions?limit=${READ_SESSIONS}`));
  for (const { session } of sessions) await readList(stack, key, `sessions/${session}/entries`);
}

async function readList(stack: Stack, key: string, path: string): Promise<unknown> {
  const answer = await fetch(`${stack.url}/v1/${path}`, { headers: { authorization: `Bearer ${key}` } });
  const text = await answer.text();
  if (answer.ok) return parseJson(text);
  throw new PlainError(`GET /v1/${path} answered ${answer.status}: ${text.slice(0, 300)}`);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null; // truncated
  }
}
