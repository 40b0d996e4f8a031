// `talaria memory`: the facts that the agent keeps: list, add, forget, purge.
import { type ListedMemory, MemoryList, MemoryPurged, MemoryWritten } from "../../core/schemas/api.ts";
import type * as z from "zod";
import { MemoryStoreName } from "../../core/schemas/memory.ts";
import { PAGE_FLAGS, YES_FLAG } from "../command-line/flags.ts";
import { showList } from "../command-line/pages.ts";
import type { Column } from "../output/table.ts";
import { formatTime } from "../output/times.ts";
import { type Verb, readChoice } from "../command-line/verb.ts";
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
      run: (call) =>
        showList(call, {
          schema: MemoryList,
          route: "GET /v1/memory",
          field: "entries",
          itemsOf: (answer) => answer.entries,
          query: { store: readChoice(call.flags, "store", MemoryStoreName) },
          columns: LINE,
          empty: "Nothing is remembered yet.",
        }),
    },
    {
      name: "add",
      words: "TEXT...",
      help: "keep a fact, as yours",
      flags: STORE_FLAG,
      async run({ words, flags, json, output, client }) {
        const body = { store: readChoice(flags, "store", MemoryStoreName) ?? "memory", content: words.join(" ") };
        const written = await client().call(MemoryWritten, "POST /v1/memory", { body });
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
        const purged = await api.call(MemoryPurged, "POST /v1/memory/{store}/{memory}/purge", {
          params: { store: found.store, memory: found.id },
        });
        if (json) output.json(purged);
        else output.note("Every copy is deleted.");
      },
    },
  ],
};

async function findFact(client: Client, id: string): Promise<Memory> {
  if (!/^[0-9a-f]{4,64}$/.test(id))
    throw new UsageError(`${JSON.stringify(id)} is not the beginning of an id: four hexadecimal characters or more.`);
  const found = (await client.listMemory()).filter((entry) => entry.id.startsWith(id));
  if (found.length === 1) return found[0]!;
  throw new UsageError(
    `${found.length === 0 ? "No fact" : "More than one fact"} has an id that begins with ${id}. \`talaria memory\` lists them.`,
  );
}
