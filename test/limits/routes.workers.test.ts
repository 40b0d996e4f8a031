// How many requests each API route makes for a profile with ten thousand skills and five thousand long facts. A route that is
// missing in the table fails the test, so a new route must be measured. docs/LIMITS.md lists the most expensive routes.
import { createExecutionContext } from "cloudflare:test";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { suggest } from "../../core/blueprints/suggestions/suggest.ts";
import { hashFiles, textOfFiles } from "../../core/schemas/learning/digest.ts";
import { dayOf, toCurationId, toReviewId } from "../../core/schemas/ids.ts";
import { memoryId } from "../../core/schemas/memory.ts";
import { type IndexLine, SkillHead, toHeadMirror, toIndexLine, toRefs, toRevision } from "../../core/schemas/skill.ts";
import { createCurationStore } from "../../stores/curation/curation-store.ts";
import { createEvidenceStore } from "../../stores/evidence/evidence-store.ts";
import { keyOf } from "../../stores/keys.ts";
import { createReviewStore } from "../../stores/reviews/review-store.ts";
import app from "../../workers/api/index.ts";
import { formatPlace } from "../../workers/api/moving/receipts.ts";
import { toKey } from "../../durable-objects/account-key.ts";
import { createCounter } from "../support/bindings/counted.ts";
import { EXPERIMENT, HABIT, toBindings } from "../support/bindings/counted-bindings.ts";
import { fillLibrary, fillMemory, largeSkillName } from "../support/skills/large-profile.ts";
import { createMemoryBucket } from "../support/bindings/memory-bucket.ts";
import { createMemoryKv } from "../support/bindings/memory-kv.ts";
import { newProfileId } from "../support/skills/profile-ids.ts";
import {
  JUDGE,
  SESSION,
  curationPlan,
  curationRun,
  evidence,
  reviewJob,
  reviewResult,
} from "../support/skills/reviews.ts";

vi.setConfig({ testTimeout: 60_000 });

const profile = newProfileId();
const key = toKey(profile, "s".repeat(52));
const OPERATOR = "operator-token-for-tests";
const bucket = createMemoryBucket();
const kv = createMemoryKv({ clock: Date });
const RUN = toCurationId(Date.now(), () => 0.5);
const REVIEW = toReviewId(SESSION, 1, 2);
const PENDING = "0".repeat(20);
const FILES = 500;
/** One below the limit. */
const PUBLIC = 199;
const skillMd = (name: string, text: string) => `---\nname: ${name}\ndescription: Of ${name}.\n---\n${text}\n`;
const fact = (n: number) => memoryId(`Fact ${n}: ${"the long story of it. ".repeat(45)}`.trim());

/** Stores a skill as several writes would. `files` holds those of each revision, the current one last. */
async function putSkill(
  name: string,
  revisions: Record<string, string>[],
  { of = profile, ...more }: Partial<SkillHead> & { of?: string } = {},
) {
  let head: SkillHead | null = null;
  for (const [at, files] of revisions.entries()) {
    const hashed = hashFiles(files);
    if (head) {
      const metadata = { customMetadata: { op: head.op, ...toRefs(head.files) } };
      await bucket.put(keyOf("revision", { profile: of, name, rev: at }), JSON.stringify(toRevision(head)), metadata);
    }
    for (const [path, body] of Object.entries(files)) {
      await bucket.put(keyOf("blob", { profile: of, sha256: hashed[path]!.sha256 }), body);
    }
    head = SkillHead.parse({
      ...{ v: 1, name, seq: at + 1, rev: at + 1, text: textOfFiles(hashed), description: `Of ${name}.` },
      ...{ category: "general", state: "active", pinned: false, origin: "user", files: hashed, citations: [] },
      ...{ op: `make ${at}`, createdAt: 1, revisedAt: 1, updatedAt: 1, ...more },
    });
  }
  await bucket.put(keyOf("head", { profile: of, name }), JSON.stringify(head), { customMetadata: toHeadMirror(head!) });
  return [name, toIndexLine(head!)] as const;
}

function manyFiles(name: string): Record<string, string> {
  const others = Array.from({ length: FILES - 1 }, (_, n) => [`references/${n}.md`, `File ${n} of ${name}.`]);
  return { "SKILL.md": skillMd(name, "Much."), ...(Object.fromEntries(others) as Record<string, string>) };
}

async function fillPending(count: number, state: "waiting" | "rejected", from = 0) {
  for (let n = from; n < from + count; n++) {
    const id = String(n).padStart(20, "0");
    const change = {
      ...{ v: 1, id, tool: "skill_manage", args: { name: "other" }, prepared: {}, op: `op ${n}`, origin: "foreground" },
      ...{ session: SESSION, reason: "approval", why: "w", summary: "s", diff: "", seen: null, state },
      ...{ askedAt: n, decidedAt: state === "waiting" ? null : 2, outcome: null },
    };
    const marks = { state, ...(state !== "waiting" && { settledAt: "2" }) };
    await bucket.put(keyOf("pending", { profile, id }), JSON.stringify(change), { customMetadata: marks });
  }
}

beforeAll(async () => {
  await fillLibrary(bucket, profile);
  const lines: (readonly [string, IndexLine])[] = [];
  for (const name of ["opened", "exported", "revised", "differing", "published", "restored"]) {
    lines.push(await putSkill(name, [manyFiles(`${name}-before`), { ...manyFiles(name) }, manyFiles(`${name}-now`)]));
  }
  const own = (n: number) => `The line of revision ${n}.`;
  const revisions = Array.from({ length: 1_000 }, (_, n) => ({ "SKILL.md": skillMd("purged", own(n)) }));
  const undone = ["", "\nAdded.\n", "\nAdded.\n"].map((added, n) => {
    return { "SKILL.md": skillMd("undone", `Much.${added}`), [`${n}.md`]: `File ${n} of undone.` };
  });
  lines.push(await putSkill("undone", undone));
  lines.push(await putSkill("purged", [manyFiles("purged"), ...revisions]));
  for (let n = 0; n < PUBLIC; n++) {
    const files = { "SKILL.md": skillMd(`public-${n}`, "Open."), "a.md": `A of ${n}`, "b.md": `B of ${n}` };
    lines.push(await putSkill(`public-${n}`, [files], { public: true }));
  }
  const index = JSON.parse(await (await bucket.get(keyOf("index", { profile })))!.text()) as { skills: object };
  Object.assign(index.skills, Object.fromEntries(lines));
  await bucket.put(keyOf("index", { profile }), JSON.stringify(index));

  for (const store of ["memory", "user"] as const) await fillMemory(kv, profile, store, 2_500);
  await fillPending(20, "waiting");
  await fillPending(2_000, "rejected", 20);
  const reviews = createReviewStore({ bucket, profile });
  for (let n = 1; n <= 1_000; n++) {
    const review = toReviewId(SESSION, n, n + 1);
    await reviews.putJob(reviewJob(profile, review));
    await reviews.finish(reviewResult(review));
    if (n <= 300)
      await reviews.createStep(review, 0, {
        v: 1,
        kind: "intent",
        at: 0,
        call: "c",
        prepared: { text: `File ${n} of purged.` },
      });
  }
  const curation = createCurationStore({ bucket });
  for (let n = 0; n < 300; n++) {
    const run = n === 0 ? RUN : toCurationId(Date.now() - n * 60_000, () => 0.5);
    await curation.putPlan(curationPlan(profile, run));
    const change = {
      skill: "a",
      from: null,
      to: { state: "active", rev: 1, text: "a".repeat(64) },
      reason: "r",
    } as const;
    await curation.putReport({ ...curationRun(profile, run), ...(n === 0 && { changes: [change] }) }, "# Report\n");
  }
  const store = createEvidenceStore({ bucket, profile, judge: JUDGE });
  for (let n = 1; n <= 200; n++) await store.put(evidence(n, { skill: largeSkillName(n), day: dayOf(Date.now()) }));
}, 120_000);

interface Asked {
  /** The maximum of requests that the platform counts. */
  most: number;
  status: number;
  /** Values for the path's parameters. */
  values?: Record<string, string>;
  query?: string;
  body?: unknown;
  type?: string;
  operator?: true;
  headers?: Record<string, string>;
}

/** One call checks the profile's key with the Account. The session's object answers in one more, from its own tables. */
const OF_SESSION = {
  most: 2,
  status: 404,
  values: {
    ...{ session: SESSION, n: "1", approval: PENDING, path: "a.txt" },
    ...{ allowance: PENDING, checkpoint: "1", image: "a".repeat(64) },
  },
};
/** The key, the desk that the Account hands out, whose call goes with it, and the audit log of a change. */
const OF_RUN = { most: 3, status: 404, values: { run: SESSION } };
const OF_RESPONSE = { most: 3, status: 404, values: { response: `resp_${"0".repeat(32)}` } };
const OF_HOOK = { most: 3, status: 200, values: { hook: "hook_000000000000" } };
/** The key, the object, and the audit log of a change. */
const OF_WEBHOOK = { most: 2, status: 200, values: { webhook: "events" } };
/** The key and the object, twice where the list is read too, and the audit log of a change. */
const OF_JOB = { most: 4, status: 200, values: { job: "brief" } };
/** The key, the turns, the jobs and the decisions; beside these what is made, the decision and the audit log. */
const OF_BLUEPRINT = {
  ...{ most: 4, status: 200 },
  values: { blueprint: "reminder", suggestion: suggest({ turns: HABIT, jobs: [], decisions: [] })[0]!.id },
};
const OF_BOARD = {
  most: 4,
  status: 200,
  values: { board: "main", role: "writer", card: `c${"0".repeat(12)}`, parent: `c${"1".repeat(12)}`, attachment: "a" },
};
const OF_GOAL = { most: 5, status: 200, values: { goal: "0".repeat(16), session: SESSION } };
const OF_CHANNEL = {
  most: 3,
  status: 200,
  values: { platform: "telegram", person: "7", pairing: "0".repeat(16), chat: "0".repeat(32) },
};
const OF_LIBRARY = {
  most: 2,
  status: 200,
  values: { profile: "0".repeat(26), invitation: `inv_${"0".repeat(12)}` },
};
const HEADS = formatPlace({ in: "object", last: "", place: { step: "heads", after: "" } });
const OF_EXPORT = { export: `exp_${"0".repeat(26)}` };
const ZIP = { body: "bytes", type: "application/zip" };
/** There is no training service: what the key and the desk cost. */
const OF_TRAINING = { most: 2, status: 409, values: { training: "trn_000000000000" } };
/** The key and the object; for a run also the object of its replay. */
const OF_EXPERIMENT = {
  most: 3,
  status: 200,
  values: { experiment: EXPERIMENT.id, replay: EXPERIMENT.runs[0].replay },
};
const OPEN = { profile, name: "public-3", artifact: "SKILL.md", path: "a.md" };

const TABLE: Record<string, Asked> = {
  "GET /health": { most: 0, status: 200 },
  "POST /v1/profiles": { most: 3, status: 201, operator: true },
  "DELETE /v1/profiles/{profile}": { most: 2, status: 204, operator: true, values: { profile } },
  "POST /v1/keys": { most: 2, status: 201, operator: true, body: { profile } },
  // Lease and probe of R2, of KV, the ping's mark, cron; settings and sessions of the account, a session, MCP servers.
  "POST /v1/doctor": { most: 24, status: 200 },
  "GET /v1/keys": { most: 2, status: 200 },
  "DELETE /v1/keys/{id}": { most: 3, status: 204, values: { id: "key_000000000000" } },
  "PATCH /v1/keys/{id}": { most: 3, status: 200, values: { id: "key_000000000000" }, body: { label: "x" } },
  "POST /v1/keys/{id}/rotate": { most: 3, status: 200, values: { id: "key_000000000000" } },
  "GET /v1/audit": { most: 2, status: 200 },
  "GET /v1/profiles/{profile}/quota": { most: 1, status: 200, operator: true, values: { profile } },
  "PUT /v1/profiles/{profile}/quota": {
    most: 2,
    status: 200,
    operator: true,
    values: { profile },
    body: { dayTokens: 1 },
  },
  "POST /v1/sessions": { most: 3, status: 201 },
  // The key, the registration, the rows, the beginning.
  "POST /v1/sessions/transcript": {
    ...{ most: 4, status: 200 },
    body: {
      from: { program: "hermes", id: "one" },
      createdAt: 1_772_360_100_000,
      messages: [{ role: "user", text: "Hello.", at: 1_772_360_100_000 }],
    },
  },
  "GET /v1/sessions": { most: 2, status: 200 },
  "GET /v1/sessions/{session}": OF_SESSION,
  "DELETE /v1/sessions/{session}": { ...OF_SESSION, status: 204 },
  "POST /v1/sessions/{session}/messages": { ...OF_SESSION, body: { text: "Hello." } },
  "GET /v1/sessions/{session}/events": OF_SESSION,
  "GET /v1/sessions/{session}/socket": { ...OF_SESSION, headers: { upgrade: "websocket" } },
  "GET /v1/sessions/{session}/entries": OF_SESSION,
  // The key, the words and the titles.
  "GET /v1/search": { most: 3, status: 200, query: "?q=rain" },
  "POST /v1/sessions/{session}/stop": OF_SESSION,
  "GET /v1/sessions/{session}/turns/{n}": OF_SESSION,
  "POST /v1/sessions/{session}/turns/{n}/rating": { ...OF_SESSION, body: { rating: "up" } },
  "GET /v1/sessions/{session}/turns/{n}/observation": OF_SESSION,
  "GET /v1/sessions/{session}/files": OF_SESSION,
  "PUT /v1/sessions/{session}/files/{path}": { ...OF_SESSION, body: "bytes", type: "text/plain" },
  "GET /v1/sessions/{session}/files/{path}": OF_SESSION,
  "DELETE /v1/sessions/{session}/files/{path}": OF_SESSION,
  "GET /v1/sessions/{session}/images/{image}": OF_SESSION,
  "GET /v1/sessions/{session}/workspace": OF_SESSION,
  "PUT /v1/sessions/{session}/workspace": { ...OF_SESSION, ...ZIP },
  "POST /v1/sessions/{session}/workspace": { ...OF_SESSION, ...ZIP },
  "GET /v1/sessions/{session}/checkpoints": OF_SESSION,
  "DELETE /v1/sessions/{session}/checkpoints": OF_SESSION,
  "GET /v1/sessions/{session}/checkpoints/{checkpoint}": OF_SESSION,
  "POST /v1/sessions/{session}/checkpoints/{checkpoint}/restore": OF_SESSION,
  "GET /v1/sessions/{session}/approvals": OF_SESSION,
  "GET /v1/sessions/{session}/approvals/{approval}": OF_SESSION,
  "POST /v1/sessions/{session}/approvals/{approval}": { ...OF_SESSION, body: { approve: true } },
  "GET /v1/sessions/{session}/allowances": OF_SESSION,
  "DELETE /v1/sessions/{session}/allowances/{allowance}": OF_SESSION,
  "GET /v1/approvals": { most: 2, status: 200 },
  // The key, the new mode and the policy then.
  "PUT /v1/approvals": { most: 3, status: 200, body: { mode: "manual" } },
  "DELETE /v1/approvals/{allowance}": { most: 2, status: 204, values: { allowance: PENDING } },
  "GET /v1/pending": { most: 140, status: 200 },
  "GET /v1/pending/{pending}": { most: 10, status: 200, values: { pending: PENDING } },
  "POST /v1/pending/{pending}": { most: 20, status: 200, values: { pending: PENDING }, body: { approve: false } },
  "GET /v1/skills": { most: 5, status: 200 },
  "GET /v1/skills/{name}": { most: FILES + 10, status: 200, values: { name: "opened" } },
  "PUT /v1/skills/{name}": {
    ...{ most: 30, status: 200, values: { name: largeSkillName(1) } },
    body: { files: { "SKILL.md": skillMd(largeSkillName(1), "Put.") } },
  },
  "DELETE /v1/skills/{name}": { most: 5, status: 204, values: { name: largeSkillName(2) } },
  "POST /v1/skills/{name}/pin": { most: 20, status: 200, values: { name: largeSkillName(3) }, body: { pinned: true } },
  "POST /v1/skills/{name}/archive": { most: 25, status: 200, values: { name: largeSkillName(4) } },
  "POST /v1/skills/{name}/adopt": { most: 20, status: 200, values: { name: "public-9" } },
  "POST /v1/skills/{name}/restore": {
    most: 4 * FILES + 40,
    status: 200,
    values: { name: "restored" },
    body: { rev: 1 },
  },
  "POST /v1/skills/import": {
    most: 2 * FILES + 30,
    status: 200,
    body: { name: "imported", files: manyFiles("imported") },
  },
  "POST /v1/skills/import/preview": {
    most: FILES + 10,
    status: 200,
    body: { name: "imported", files: manyFiles("imported") },
  },
  "GET /v1/skills/{name}/export": { most: FILES + 10, status: 200, values: { name: "exported" } },
  "POST /v1/skills/{name}/publish": {
    ...{ most: FILES + 40, status: 200, values: { name: "published" }, body: { public: true } },
  },
  "GET /v1/skills/{name}/evidence": { most: 10, status: 200, values: { name: largeSkillName(1) } },
  "GET /v1/skills/{name}/revisions": { most: 110, status: 200, values: { name: "purged" } },
  "GET /v1/skills/{name}/revisions/{rev}": { most: FILES + 10, status: 200, values: { name: "revised", rev: "1" } },
  "GET /v1/skills/{name}/revisions/{rev}/diff": {
    ...{ most: 2 * FILES + 10, status: 200, values: { name: "differing", rev: "2" } },
  },
  "POST /v1/skills/{name}/revisions/{rev}/undo": { most: 60, status: 200, values: { name: "undone", rev: "2" } },
  "POST /v1/skills/{name}/purge": { most: 6_000, status: 200, values: { name: "purged" }, body: { rev: 1 } },
  // The revision with its files, the settings, the object, and the audit log.
  "POST /v1/skills/{name}/replay": {
    ...{ most: FILES + 10, status: 202, values: { name: "opened" }, body: { tokens: 1_000 } },
  },
  "POST /v1/skills/try": {
    ...{ most: 6, status: 202, body: { tokens: 1_000, files: { "SKILL.md": skillMd("opened", "Tried.") } } },
  },
  "GET /v1/experiments": OF_EXPERIMENT,
  "GET /v1/experiments/{experiment}": OF_EXPERIMENT,
  "POST /v1/experiments/{experiment}/stop": OF_EXPERIMENT,
  "GET /v1/experiments/{experiment}/runs/{replay}": OF_EXPERIMENT,
  "GET /v1/memory": { most: 60, status: 200 },
  "POST /v1/memory": { most: 10, status: 201, body: { store: "memory", content: "A new fact." } },
  "PUT /v1/memory/{store}/{memory}": {
    ...{ most: 50, status: 200, values: { store: "memory", memory: fact(1) }, body: { content: "Another fact." } },
  },
  "DELETE /v1/memory/{store}/{memory}": { most: 10, status: 200, values: { store: "memory", memory: fact(2) } },
  "POST /v1/memory/{store}/{memory}/purge": { most: 2_600, status: 200, values: { store: "memory", memory: fact(3) } },
  "GET /v1/reviews": { most: 110, status: 200, query: "?limit=100" },
  "GET /v1/reviews/{review}": { most: 10, status: 200, values: { review: REVIEW } },
  "GET /v1/learning": { most: 550, status: 200, query: "?limit=50" },
  "GET /v1/learning/journey": { most: 600, status: 200, query: "?limit=50" },
  "GET /v1/learning/graph": { most: 240, status: 200, query: "?skills=200" },
  "GET /v1/curator": { most: 20, status: 200 },
  "POST /v1/curator/run": { most: 5, status: 202 },
  "POST /v1/curator/pause": { most: 20, status: 200 },
  "POST /v1/curator/resume": { most: 20, status: 200 },
  "GET /v1/curator/runs": { most: 10, status: 200 },
  "GET /v1/curator/runs/{run}": { most: 10, status: 200, values: { run: RUN } },
  "POST /v1/curator/runs/{run}/rollback": { most: 10, status: 202, values: { run: RUN } },
  "GET /v1/usage": { most: 2, status: 200 },
  "POST /v1/export": { most: 3, status: 200 },
  // A part of heads: each costs two requests, and the listing of its revisions. It ends at 200 lines.
  // The key, the consent, the ids of channels and the list; beside these at most 60 sessions that are read.
  "GET /v1/trajectories": { most: 4, status: 200 },
  "GET /v1/trajectories/consent": { most: 2, status: 200 },
  "PUT /v1/trajectories/consent": { most: 4, status: 200, body: { allowed: true } },
  "GET /v1/export/{export}/part": { most: 820, status: 200, values: OF_EXPORT, query: `?from=${HEADS}` },
  "POST /v1/export/{export}/manifest": {
    ...{ most: 1, status: 409, values: OF_EXPORT, body: { receipts: ["0".repeat(100)] } },
  },
  "POST /v1/import": {
    ...{ most: 1, status: 422, body: { manifest: "{}", deployment: "0".repeat(43), signature: "AAAA" } },
  },
  "GET /v1/import": { most: 2, status: 404 },
  "PUT /v1/import/parts/{part}": {
    ...{ most: 2, status: 404, values: { part: "0".repeat(64) }, body: "x", type: "application/octet-stream" },
  },
  "POST /v1/import/commit": { most: 2, status: 404, body: {} },
  "DELETE /v1/import": { most: 2, status: 404 },
  "GET /v1/training/jobs": { most: 2, status: 200 },
  "POST /v1/training/jobs": { ...OF_TRAINING, body: { baseModel: "m", format: "sharegpt" } },
  "GET /v1/training/jobs/{training}": { ...OF_TRAINING, status: 200 },
  "POST /v1/training/jobs/{training}/data": OF_TRAINING,
  "POST /v1/training/jobs/{training}/start": OF_TRAINING,
  "POST /v1/training/jobs/{training}/stop": OF_TRAINING,
  "POST /v1/training/jobs/{training}/results": OF_TRAINING,
  "GET /v1/training/models": { most: 2, status: 200 },
  "GET /v1/sessions/{session}/children": OF_SESSION,
  "GET /v1/sessions/{session}/prompt": OF_SESSION,
  "PATCH /v1/sessions/{session}": { ...OF_SESSION, body: { title: "Renamed." } },
  "POST /v1/sessions/{session}/branch": OF_SESSION,
  "GET /v1/models": { most: 1, status: 200 },
  // The lease, which is taken and released.
  "POST /v1/models/{model}/test": { most: 4, status: 200, values: { model: "rehearsal" } },
  "GET /v1/models/{model}": { most: 1, status: 200, values: { model: "talaria" } },
  // The key; the desk that stores what the request becomes, and its return; the new session, and its message.
  "POST /v1/chat/completions": {
    ...{ most: 5, status: 404, body: { model: "talaria", messages: [{ role: "user", content: "Hello." }] } },
  },
  "GET /v1/tools": { most: 2, status: 200 },
  // The key, the new settings, and the settings then. So for the next.
  "PUT /v1/tools": { most: 3, status: 200, body: { disabled: ["web"] } },
  "GET /v1/skill-settings": { most: 2, status: 200 },
  "PUT /v1/skill-settings": { most: 3, status: 200, body: { inlineShell: false } },
  "POST /v1/sign-in": { most: 3, status: 201 },
  "POST /v1/sign-in-links": { most: 3, status: 201 },
  "GET /v1/sign-in": { most: 1, status: 200 },
  // By a key there is no sign-in to end.
  "DELETE /v1/sign-in": { most: 1, status: 404 },
  "GET /v1/sign-ins": { most: 2, status: 200 },
  "DELETE /v1/sign-ins/{signIn}": { most: 3, status: 204, values: { signIn: "sin_000000000000" } },
  "GET /v1/settings": { most: 2, status: 200 },
  // The key, the settings before and after, the change, and the audit log.
  "PATCH /v1/settings": { most: 5, status: 200, body: { "turn.busy": "steer" } },
  "GET /v1/policies": { most: 2, status: 200 },
  "PUT /v1/policies/{policy}": {
    ...{ most: 3, status: 200, values: { policy: "p" } },
    body: { hook: "pre_tool_call", tool: "terminal", decision: "deny" },
  },
  "DELETE /v1/policies/{policy}": { most: 3, status: 204, values: { policy: "p" } },
  "GET /v1/personalities": { most: 2, status: 200 },
  "PUT /v1/personalities/{personality}": {
    ...{ most: 3, status: 200, values: { personality: "p" }, body: { text: "Be brief." } },
  },
  "DELETE /v1/personalities/{personality}": { most: 3, status: 204, values: { personality: "p" } },
  "POST /v1/runs": { most: 7, status: 404, body: { input: "Hello." } },
  "GET /v1/runs": { most: 2, status: 200 },
  "GET /v1/runs/{run}": OF_RUN,
  "GET /v1/runs/{run}/events": OF_RUN,
  "POST /v1/runs/{run}/stop": OF_RUN,
  "POST /v1/runs/{run}/steer": { ...OF_RUN, body: { text: "Hello." } },
  "POST /v1/runs/{run}/approve": { ...OF_RUN, body: { approve: true } },
  "POST /v1/responses": { most: 6, status: 404, body: { input: "Hello." } },
  "GET /v1/responses/{response}": OF_RESPONSE,
  "DELETE /v1/responses/{response}": OF_RESPONSE,
  "POST /v1/messages": {
    ...{ most: 6, status: 404 },
    body: { model: "talaria", max_tokens: 9, messages: [{ role: "user", content: "Hello." }] },
  },
  "POST /v1/messages/count_tokens": {
    ...{ most: 1, status: 200 },
    body: { model: "talaria", messages: [{ role: "user", content: "Hello." }] },
  },
  "GET /v1/library": OF_LIBRARY,
  "POST /v1/library/invitations": { ...OF_LIBRARY, most: 3, status: 201 },
  "DELETE /v1/library/invitations/{invitation}": { ...OF_LIBRARY, most: 3, status: 204 },
  "PATCH /v1/library/followers/{profile}": { ...OF_LIBRARY, most: 3, body: { evidence: true } },
  "DELETE /v1/library/followers/{profile}": { ...OF_LIBRARY, most: 3, status: 204 },
  // The two Accounts speak to each other: this is the follower's part.
  "POST /v1/library/following": { ...OF_LIBRARY, most: 3, status: 201, body: { code: "tlib_x_y" } },
  "PATCH /v1/library/following/{profile}": { ...OF_LIBRARY, most: 3, body: { label: "Ours" } },
  "DELETE /v1/library/following/{profile}": { ...OF_LIBRARY, most: 3, status: 204 },
  "GET /v1/library/following/{profile}/skills": { ...OF_LIBRARY, most: 10 },
  "POST /v1/library/following/{profile}/install": { ...OF_LIBRARY, most: 10 },
  "GET /v1/hooks": OF_HOOK,
  "POST /v1/hooks": {
    ...OF_HOOK,
    most: 3,
    status: 201,
    body: { url: "https://receiver.example", events: ["turn.ended"] },
  },
  "GET /v1/hooks/{hook}": OF_HOOK,
  "DELETE /v1/hooks/{hook}": { ...OF_HOOK, most: 3, status: 204 },
  "POST /v1/hooks/{hook}/rotate": { ...OF_HOOK, most: 3 },
  "POST /v1/hooks/{hook}/test": OF_HOOK,
  "GET /v1/hooks/{hook}/deliveries": OF_HOOK,
  "GET /v1/deliveries": OF_CHANNEL,
  "GET /v1/channels": OF_CHANNEL,
  "GET /v1/channels/{platform}": OF_CHANNEL,
  "PUT /v1/channels/{platform}": { ...OF_CHANNEL, body: { token: "1:a" } },
  "PATCH /v1/channels/{platform}": { ...OF_CHANNEL, body: { token: "1:a" } },
  "DELETE /v1/channels/{platform}": { ...OF_CHANNEL, status: 204 },
  "POST /v1/channels/{platform}/test": { ...OF_CHANNEL, body: {} },
  "GET /v1/channels/{platform}/pairings": OF_CHANNEL,
  "POST /v1/channels/{platform}/pairings": { ...OF_CHANNEL, body: { code: "ABCDEFGH" } },
  "DELETE /v1/channels/{platform}/pairings/{pairing}": { ...OF_CHANNEL, status: 204 },
  "GET /v1/channels/{platform}/people": OF_CHANNEL,
  "PUT /v1/channels/{platform}/people/{person}": { ...OF_CHANNEL, body: { role: "user" } },
  "DELETE /v1/channels/{platform}/people/{person}": { ...OF_CHANNEL, status: 204 },
  "GET /v1/channels/{platform}/chats": OF_CHANNEL,
  "PATCH /v1/channels/{platform}/chats/{chat}": { ...OF_CHANNEL, body: { listen: "all" } },
  "GET /v1/boards": OF_BOARD,
  "PUT /v1/boards/{board}": OF_BOARD,
  "DELETE /v1/boards/{board}": { ...OF_BOARD, status: 204 },
  "GET /v1/jobs": OF_JOB,
  "POST /v1/jobs": { ...OF_JOB, status: 201, body: { name: "brief", schedule: "every 1d", prompt: "Say hi." } },
  "GET /v1/jobs/{job}": OF_JOB,
  "PATCH /v1/jobs/{job}": { ...OF_JOB, body: { prompt: "Say hello." } },
  "DELETE /v1/jobs/{job}": { ...OF_JOB, status: 204 },
  "POST /v1/jobs/{job}/pause": OF_JOB,
  "POST /v1/jobs/{job}/resume": OF_JOB,
  "POST /v1/jobs/{job}/run": { ...OF_JOB, status: 202 },
  "GET /v1/jobs/{job}/runs": OF_JOB,
  "GET /v1/schedule": { most: 1, status: 200, query: "?schedule=every+2h" },
  "GET /v1/blueprints": { ...OF_BLUEPRINT, most: 1 },
  "GET /v1/blueprints/{blueprint}": { ...OF_BLUEPRINT, most: 1 },
  "POST /v1/blueprints/{blueprint}": { ...OF_BLUEPRINT, status: 201, body: { slots: { about: "Water" } } },
  "GET /v1/suggestions": OF_BLUEPRINT,
  "POST /v1/suggestions/{suggestion}/accept": { ...OF_BLUEPRINT, most: 6, status: 201 },
  "POST /v1/suggestions/{suggestion}/dismiss": { ...OF_BLUEPRINT, most: 5, status: 204 },
  "GET /v1/boards/{board}/cards": OF_BOARD,
  "POST /v1/boards/{board}/cards": { ...OF_BOARD, status: 201, body: { title: "One" } },
  "GET /v1/boards/{board}/cards/{card}": OF_BOARD,
  "PATCH /v1/boards/{board}/cards/{card}": { ...OF_BOARD, body: { title: "Two" } },
  "DELETE /v1/boards/{board}/cards/{card}": { ...OF_BOARD, status: 204 },
  "PUT /v1/boards/{board}/cards/{card}/parents/{parent}": OF_BOARD,
  "DELETE /v1/boards/{board}/cards/{card}/parents/{parent}": OF_BOARD,
  "GET /v1/boards/{board}/cards/{card}/comments": OF_BOARD,
  "POST /v1/boards/{board}/cards/{card}/comments": { ...OF_BOARD, status: 201, body: { text: "Hello." } },
  "GET /v1/boards/{board}/cards/{card}/runs": OF_BOARD,
  "GET /v1/boards/{board}/events": OF_BOARD,
  "GET /v1/boards/{board}/stats": OF_BOARD,
  "PUT /v1/boards/{board}/cards/{card}/attachments/{attachment}": { ...OF_BOARD, body: "bytes", type: "text/plain" },
  "POST /v1/boards/{board}/cards/{card}/attachments/{attachment}/fetch": {
    ...OF_BOARD,
    ...{ status: 422, body: { url: "http://127.0.0.1/secret" } },
  },
  "GET /v1/boards/{board}/cards/{card}/attachments/{attachment}": OF_BOARD,
  "DELETE /v1/boards/{board}/cards/{card}/attachments/{attachment}": { ...OF_BOARD, status: 204 },
  "POST /v1/boards/{board}/cards/{card}/assign": { ...OF_BOARD, body: { assignee: null } },
  "POST /v1/boards/{board}/cards/{card}/move": { ...OF_BOARD, body: { to: "ready" } },
  "POST /v1/boards/{board}/cards/{card}/promote": OF_BOARD,
  "POST /v1/boards/{board}/cards/{card}/start": OF_BOARD,
  "POST /v1/boards/{board}/cards/{card}/complete": { ...OF_BOARD, body: { summary: "Done." } },
  "POST /v1/boards/{board}/cards/{card}/block": { ...OF_BOARD, body: { kind: "transient", reason: "Down." } },
  "POST /v1/boards/{board}/cards/{card}/unblock": OF_BOARD,
  "POST /v1/boards/{board}/cards/{card}/request-review": { ...OF_BOARD, body: { summary: "Done." } },
  "POST /v1/boards/{board}/cards/{card}/request-changes": { ...OF_BOARD, body: { reason: "Wrong." } },
  "POST /v1/boards/{board}/cards/{card}/heartbeat": OF_BOARD,
  "POST /v1/boards/{board}/cards/{card}/reclaim": OF_BOARD,
  "POST /v1/boards/{board}/cards/{card}/cancel": { ...OF_BOARD, body: { reason: "No." } },
  "POST /v1/boards/{board}/cards/{card}/archive": OF_BOARD,
  "POST /v1/boards/{board}/cards/{card}/specify": OF_BOARD,
  "POST /v1/boards/{board}/cards/{card}/decompose": OF_BOARD,
  "GET /v1/roles": OF_BOARD,
  "GET /v1/roles/{role}": OF_BOARD,
  "PUT /v1/roles/{role}": { ...OF_BOARD, body: {} },
  "DELETE /v1/roles/{role}": { ...OF_BOARD, status: 204 },
  "GET /v1/goals": OF_GOAL,
  "POST /v1/goals": { ...OF_GOAL, status: 404, body: { text: "Do it.", session: SESSION } },
  "GET /v1/goals/{goal}": OF_GOAL,
  "POST /v1/goals/{goal}": { ...OF_GOAL, body: { do: "pause" } },
  "GET /v1/sessions/{session}/goal": OF_GOAL,
  "PUT /v1/sessions/{session}/goal": { ...OF_GOAL, status: 404, body: { text: "Do another thing." } },
  "DELETE /v1/sessions/{session}/goal": { ...OF_GOAL, status: 204 },
  "GET /v1/webhooks": OF_WEBHOOK,
  "POST /v1/webhooks": { ...OF_WEBHOOK, most: 3, status: 201, body: { name: "events", scheme: "github" } },
  "GET /v1/webhooks/{webhook}": OF_WEBHOOK,
  "PATCH /v1/webhooks/{webhook}": { ...OF_WEBHOOK, most: 3, body: { session: "new" } },
  "DELETE /v1/webhooks/{webhook}": { ...OF_WEBHOOK, most: 3, status: 204 },
  "POST /v1/webhooks/{webhook}/rotate": { ...OF_WEBHOOK, most: 3 },
  "GET /v1/webhooks/{webhook}/deliveries": OF_WEBHOOK,
  "GET /v1/mcp/servers": { most: 2, status: 200 },
  "PUT /v1/mcp/servers/{server}": {
    ...{ most: 4, status: 200, values: { server: "s" }, body: { url: "https://mcp.example/", enabled: false } },
  },
  "PATCH /v1/mcp/servers/{server}": { most: 2, status: 404, values: { server: "s" }, body: { enabled: false } },
  "DELETE /v1/mcp/servers/{server}": { most: 3, status: 204, values: { server: "s" } },
  "POST /v1/mcp/servers/{server}/test": { most: 2, status: 404, values: { server: "s" } },
  "POST /v1/mcp/servers/{server}/authorize": { most: 2, status: 404, values: { server: "s" } },
  // The requests to sources are counted in test/hub/.
  "GET /v1/hub/search": { most: 4, status: 200, query: "?query=a&source=url" },
  "POST /v1/hub/inspect": { most: 3, status: 422, body: { source: "http://127.0.0.1/SKILL.md" } },
  "POST /v1/hub/install": { most: 3, status: 422, body: { source: "http://127.0.0.1/SKILL.md" } },
  "GET /v1/hub/skills": { most: 4, status: 200 },
  "POST /v1/hub/check": { most: 5, status: 200 },
  "POST /v1/hub/audit": { most: 4, status: 200 },
  "POST /v1/hub/skills/{name}/update": { most: 6, status: 404, values: { name: "a" } },
  "PUT /v1/hub/skills/{name}/pin": { most: 5, status: 404, values: { name: "a" }, body: { version: null } },
  "DELETE /v1/hub/skills/{name}": { most: 5, status: 404, values: { name: "a" } },
  "GET /v1/hub/taps": { most: 2, status: 200 },
  "PUT /v1/hub/taps/{tap}": { most: 3, status: 200, values: { tap: "t" }, body: { source: "team/skills" } },
  "DELETE /v1/hub/taps/{tap}": { most: 3, status: 204, values: { tap: "t" } },
  "PUT /v1/hub/github-token": { most: 3, status: 204, body: { token: "ghp_0123456789" } },
  "DELETE /v1/hub/github-token": { most: 3, status: 204 },
  // The requests to GitHub are counted in test/hub/publish-pull.test.ts.
  "POST /v1/hub/publish": { most: 2, status: 404, body: { skill: "a", tap: "t" } },
  // The first request packs every public skill that was never packed.
  "GET /.well-known/agent-skills/index.json": { most: 1_700, status: 200 },
  "GET /.well-known/agent-skills/{name}/{artifact}": { most: 10, status: 200, values: OPEN },
  "GET /.well-known/skills/index.json": { most: 210, status: 200 },
  "GET /.well-known/skills/{name}/{path}": { most: 10, status: 200, values: OPEN },
  "GET /p/{profile}/.well-known/agent-skills/index.json": { most: 210, status: 200, values: OPEN },
  "GET /p/{profile}/.well-known/agent-skills/{name}/{artifact}": { most: 10, status: 200, values: OPEN },
  "GET /p/{profile}/.well-known/skills/index.json": { most: 210, status: 200, values: OPEN },
  "GET /p/{profile}/.well-known/skills/{name}/{path}": { most: 10, status: 200, values: OPEN },
};

async function ask(route: string, asked: Asked, of = profile) {
  const { values = {}, query = "", body, type, operator, headers } = asked;
  const counter = createCounter();
  const [method, path] = route.split(" ") as [string, string];
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => values[name]!);
  const isRaw = typeof body === "string";
  const request = new Request(`https://talaria.test${filled}${query}`, {
    method,
    headers: {
      ...{ authorization: `Bearer ${operator ? OPERATOR : key}` },
      ...(body !== undefined && { "content-type": type ?? "application/json" }),
      ...headers,
    },
    ...(body !== undefined && { body: isRaw ? body : JSON.stringify(body) }),
  });
  const env = toBindings({ bucket, kv, counter, profile: of });
  const answer = await app.fetch(request, env, createExecutionContext());
  return { status: answer.status, text: await answer.text(), counter };
}

describe("for a profile with ten thousand skills and five thousand facts", () => {
  it("each route of the contract is in the table", async () => {
    const { text } = await ask("GET /openapi.json", { most: 0, status: 200 });
    const { paths } = JSON.parse(text) as { paths: Record<string, object> };
    const routes = Object.entries(paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(routes.toSorted()).toEqual(Object.keys(TABLE).toSorted());
  });

  it.each(Object.entries(TABLE))("%s makes no more requests than the table allows", async (route, asked) => {
    let answer = await ask(route, asked);
    // An isolate rests for some seconds between two check-ups, and another row of the table is one.
    for (let tries = 0; answer.text.includes("doctor_busy") && tries < 60; tries++) {
      await new Promise((done) => setTimeout(done, 100));
      answer = await ask(route, asked);
    }
    const { status, text, counter } = answer;
    expect({ status, text: status === asked.status ? "" : text }).toEqual({ status: asked.status, text: "" });
    if (counter.calls > asked.most) expect(counter).toEqual({ most: asked.most });
    expect(asked.most).toBeLessThan(10_000);
  });
});

describe("public skills that were never packed", () => {
  it("are packed by the first requests, each limited to the files that one invocation may read", async () => {
    const other = newProfileId();
    const lines = [];
    for (let n = 0; n < 10; n++) {
      lines.push(await putSkill(`package-${n}`, [manyFiles(`package-${n}`)], { public: true, of: other }));
    }
    const index = { v: 1, seq: 1, skills: Object.fromEntries(lines) };
    await bucket.put(keyOf("index", { profile: other }), JSON.stringify(index));
    const list = () => ask("GET /.well-known/agent-skills/index.json", { most: 0, status: 200 }, other);
    const [first, second] = [await list(), await list()];
    expect([first.status, second.status]).toEqual([503, 200]);
    expect(first.counter.calls).toBeLessThan(4_200);
    expect((JSON.parse(second.text) as { skills: object[] }).skills).toHaveLength(10);
  });
});
