// The profile's memory: a person lists, adds, corrects, forgets and purges facts. A person's fact is never refused for its
// content, and a forgotten fact does not come back.
import { createRoute } from "@hono/zod-openapi";
import * as z from "zod";
import { fitNewest, selectLimit, measureUsage } from "../../../core/memory/rules.ts";
import { reasonToHide } from "../../../core/memory/shown.ts";
import {
  Forgotten,
  MemoryList,
  MemoryPurged,
  MemoryWritten,
  PostMemory,
  PutMemory,
} from "../../../core/schemas/api.ts";
import { Sha256 } from "../../../core/schemas/ids.ts";
import { type MemoryEntry, MemoryStoreName } from "../../../core/schemas/memory.ts";
import { type Finding, scanText } from "../../../core/skills/scanner/scanner.ts";
import { purgeText } from "../skills/copies.ts";
import { parseEnvSettings } from "../env.ts";
import { ascending, pageQuery, toPage } from "../pages.ts";
import { describeResponses, createRouter, jsonBody, refuses } from "../router.ts";
import { openMemory } from "../stores.ts";
import { addFact, addForeignFact, forgetFact, memoryNotFound, newOp, replaceFact } from "./memory-writes.ts";

export const memory = createRouter();

const EntryParams = z.object({ store: MemoryStoreName, memory: Sha256 });

memory.openapi(
  createRoute({
    method: "get",
    path: "/v1/memory",
    operationId: "listMemory",
    description: "Lists what the agent remembers.",
    request: { query: z.strictObject({ store: MemoryStoreName.optional(), ...pageQuery(1_000, { usual: 500 }) }) },
    responses: describeResponses(200, "Entries, oldest first, how full the stores are, and purged facts", MemoryList),
  }),
  async (c) => {
    const store = openMemory(c.env, c.var.profile);
    const { store: only, after, limit } = c.req.valid("query");
    const names = only ? [only] : MemoryStoreName.options;
    const settings = parseEnvSettings(c.env).memory;
    const surveys = await Promise.all(names.map(async (name) => ({ name, ...(await store.survey(name)) })));
    const { page, next } = toPage(surveys.flatMap(toItems).toSorted(byPlace), {
      after,
      limit,
      sortKey: ({ place }) => place,
    });
    const inside = new Set(surveys.flatMap(({ name, entries }) => fitNewest(entries, selectLimit(name, settings))));
    return c.json(
      {
        entries: page.flatMap(({ entry }) => (entry ? [toListed(entry, inside)] : [])),
        usage: Object.fromEntries(
          surveys.map(({ name, entries }) => [name, measureUsage(entries, selectLimit(name, settings))]),
        ),
        purged: page.flatMap(({ purged }) => purged ?? []),
        ...(next !== undefined && { next }),
      },
      200,
    );
  },
);

memory.openapi(
  createRoute({
    method: "post",
    path: "/v1/memory",
    operationId: "addMemory",
    ...refuses(
      ...(["empty_content", "several_facts", "too_long", "bad_text", "memory_purged", "busy"] as const),
      "memory_refused",
    ),
    description:
      "Adds one fact. With `from`, it is one that another program kept: it counts as content, a harmful one is refused, and one that was " +
      "forgotten here does not come back.",
    request: { body: jsonBody(PostMemory) },
    responses: describeResponses(201, "The fact is stored; new prompts contain it", MemoryWritten),
  }),
  async (c) => {
    const { store, content, from } = c.req.valid("json");
    const scope = { env: c.env, profile: c.var.profile };
    const written = from ? await addForeignFact(scope, { store, content, from }) : await addFact(scope, store, content);
    return c.json(written, 201);
  },
);

memory.openapi(
  createRoute({
    method: "put",
    path: "/v1/memory/{store}/{memory}",
    operationId: "replaceMemory",
    ...refuses("memory_not_found", "empty_content", "several_facts", "too_long", "bad_text", "memory_purged", "busy"),
    description: "Replaces one fact.",
    request: { params: EntryParams, body: jsonBody(PutMemory) },
    responses: describeResponses(200, "The fact that replaced it", MemoryWritten),
  }),
  async (c) => {
    const { store, memory: id } = c.req.valid("param");
    const { content } = c.req.valid("json");
    return c.json(await replaceFact({ env: c.env, profile: c.var.profile }, { store, id, content }), 200);
  },
);

memory.openapi(
  createRoute({
    method: "delete",
    path: "/v1/memory/{store}/{memory}",
    operationId: "forget",
    ...refuses("memory_not_found", "busy"),
    description: "Removes one fact. Its text stays in the store until the sweep; `purge` deletes it.",
    request: { params: EntryParams },
    responses: describeResponses(200, "How many writes of the fact were removed", Forgotten),
  }),
  async (c) => {
    const { store, memory: id } = c.req.valid("param");
    const removed = await forgetFact({ env: c.env, profile: c.var.profile }, store, id);
    return c.json({ removed }, 200);
  },
);

memory.openapi(
  createRoute({
    method: "post",
    path: "/v1/memory/{store}/{memory}/purge",
    operationId: "purgeMemory",
    ...refuses("memory_not_found", "busy"),
    description: "Deletes one fact permanently, including its copies.",
    request: { params: EntryParams },
    responses: describeResponses(
      200,
      "Every copy of the text was deleted: in memory, pending changes, reviews, curations, recorded requests and indexed messages. It cannot be stored again",
      MemoryPurged,
    ),
  }),
  async (c) => {
    const { store, memory: id } = c.req.valid("param");
    const text = await openMemory(c.env, c.var.profile).textOf(store, id);
    const gone = text === null ? [] : [text];
    await purgeText(c.env, c.var.profile, { subject: `memory/${store}/${id}`, gone, kept: [] });
    const deleted = await openMemory(c.env, c.var.profile).purge(store, id, { op: newOp(), at: Date.now() });
    if (deleted === null) throw memoryNotFound(store);
    return c.json({ store, id, deleted }, 200);
  },
);

type MemoryListing = z.infer<typeof MemoryList>;
interface MemoryItem {
  place: string;
  entry?: MemoryEntry;
  purged?: MemoryListing["purged"][number];
}

/** Entries by store and age, followed by purged ones. */
function toItems(survey: {
  name: MemoryStoreName;
  entries: MemoryEntry[];
  purged: { id: string; at: number }[];
}): MemoryItem[] {
  const { name, entries, purged } = survey;
  const store = MemoryStoreName.options.indexOf(name);
  return [
    ...entries.map((entry) => ({ place: `0.${store}.${ascending(entry.since)}.${entry.id}`, entry })),
    ...purged.map((gone) => ({ place: `1.${store}.${gone.id}`, purged: { store: name, ...gone } })),
  ];
}

function byPlace(a: MemoryItem, b: MemoryItem): number {
  return a.place < b.place ? -1 : 1;
}

function toListed(entry: MemoryEntry, inside: Set<MemoryEntry>): MemoryListing["entries"][number] {
  return {
    ...entry,
    outside: !inside.has(entry),
    hidden: reasonToHide(entry) !== null,
    findings: scanText(entry.text, "note").map(toListedFinding),
  };
}

function toListedFinding({ pattern, category, severity, reason }: Finding) {
  return { pattern, category, severity, reason };
}
