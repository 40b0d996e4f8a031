// `talaria memory`: the facts that the agent keeps: list, add, forget, purge.
import { type ListedMemory, MemoryList, MemoryPurged, MemoryWritten } from "../../core/schemas/api.ts";
import type * as z from "zod";
import { MemoryStoreName } from "../../core/schemas/memory.ts";
import { PAGE_FLAGS, YES_FLAG } from "../command-line/flags.ts";
import { listPages } from "../command-line/pages.ts";
import type { Column } from "../output/table.ts";
import { formatTime } from "../output/times.ts";
import { type FlagValues, type Verb, textFlag } from "../command-line/verb.ts";
import type { Client } from "../connection/client.ts";
import { UsageError } from "../connection/connection.ts";

type Memory = z.infer<typeof ListedMemory>;

/** As many characters of an id as the table shows: enough to name it. */
const ID_CHARS = 10;

const LINE: Column<Memory>[] = [
  { title: "id", cell: ({ id }) => id.slice(0, ID_CHARS) },
  { title: "store", cell: ({ store }) => store },
  { title: "since", cell: ({ since }) => formatTime(since) },
  { title: "by", cell: ({ origin }) => origin },
  { title: "fact", cell: ({ text, outside }) => (outside ? `(not in prompts) ${text}` : text), shrinks: true },
];

const STORE_FLAG = {
  store: { type: "string", value: "STORE", help: `${MemoryStoreName.options.join(" or ")}; \`user\` is about you` },
} as const;

export const memory: Verb = {
  name: "memory",
  help: "list, add, forget or purge the facts that the agent keeps",
  actions: [
    {
      name: "list",
      help: "all facts, oldest first",
      flags: { ...STORE_FLAG, ...PAGE_FLAGS },
      async run({ flags, json, output, client }) {
        const { items, next } = await listPages(client().http, {
          schema: MemoryList,
          path: "/v1/memory",
          itemsOf: (answer) => answer.entries,
          flags,
          query: { store: readStore(flags) },
        });
        if (json) return output.json({ entries: items, next });
        output.table(items, LINE, "Nothing is remembered yet.");
        if (next !== undefined) output.note(`More: --after ${next}`);
      },
    },
    {
      name: "add",
      words: "TEXT...",
      help: "keep a fact, as yours",
      flags: STORE_FLAG,
      async run({ words, flags, json, output, client }) {
        const body = { store: readStore(flags) ?? "memory", content: words.join(" ") };
        const written = await client().http.json(MemoryWritten, "POST", "/v1/memory", { body });
        if (json) output.json(written);
        else output.note(written.existed ? "This fact was kept already." : `Kept as ${written.id.slice(0, ID_CHARS)}.`);
      },
    },
    {
      name: "forget",
      words: "ID",
      help: "remove a fact; the beginning of its id is enough",
      async run({ words: [id = ""], json, output, client }) {
        const api = client();
        const found = await findFact(api, id);
        const forgotten = await api.forget(found.store, found.id);
        if (json) output.json({ ...forgotten, id: found.id });
        else output.note(`Forgotten: ${found.text}`);
      },
    },
    {
      name: "purge",
      words: "ID",
      help: "delete every copy of a fact's text, for ever",
      flags: YES_FLAG,
      async run({ words: [id = ""], flags, json, output, client }) {
        const api = client();
        const found = await findFact(api, id);
        if (!(await output.confirm(`Delete every copy of "${found.text}"?`, flags.yes === true))) return;
        const path = `/v1/memory/${found.store}/${found.id}/purge`;
        const purged = await api.http.json(MemoryPurged, "POST", path);
        if (json) output.json(purged);
        else output.note("Every copy is deleted.");
      },
    },
  ],
};

function readStore(flags: FlagValues): MemoryStoreName | undefined {
  const store = textFlag(flags, "store");
  if (store === undefined) return undefined;
  const parsed = MemoryStoreName.safeParse(store);
  if (parsed.success) return parsed.data;
  throw new UsageError(`--store takes ${MemoryStoreName.options.join(" or ")}, not ${JSON.stringify(store)}.`);
}

async function findFact(client: Client, id: string): Promise<Memory> {
  if (!/^[0-9a-f]{4,64}$/.test(id))
    throw new UsageError(`${JSON.stringify(id)} is not the beginning of an id: four hexadecimal characters or more.`);
  const found = (await client.listMemory()).filter((entry) => entry.id.startsWith(id));
  if (found.length === 1) return found[0]!;
  throw new UsageError(
    `${found.length === 0 ? "No fact" : "More than one fact"} has an id that begins with ${id}. \`talaria memory\` lists them.`,
  );
}
