// `talaria keys`: the keys of the profile. A new key is shown once, on stdout.
import { CreatedKey, type KeyInfo, KeyList } from "../../core/schemas/api.ts";
import { PAGE_FLAGS, YES_FLAG } from "../command-line/flags.ts";
import { listPages } from "../command-line/pages.ts";
import type { Column } from "../output/table.ts";
import { formatTime } from "../output/times.ts";
import { type Verb, textFlag } from "../command-line/verb.ts";

const LINE: Column<KeyInfo>[] = [
  { title: "id", cell: ({ id }) => id },
  { title: "made", cell: ({ createdAt }) => formatTime(createdAt) },
  { title: "label", cell: ({ label }) => label, shrinks: true },
];

export const keys: Verb = {
  name: "keys",
  help: "list, make or revoke the keys of the profile",
  actions: [
    {
      name: "list",
      help: "the valid keys, without their secrets",
      flags: PAGE_FLAGS,
      async run({ flags, json, output, client }) {
        const { items, next } = await listPages(client().http, {
          schema: KeyList,
          path: "/v1/keys",
          itemsOf: (answer) => answer.keys,
          flags,
        });
        if (json) return output.json({ keys: items, next });
        output.table(items, LINE, "There is no key.");
        if (next !== undefined) output.note(`More: --after ${next}`);
      },
    },
    {
      name: "make",
      help: "a new key, written to stdout and never shown again",
      flags: { label: { type: "string", value: "TEXT", help: "what it is for" } },
      async run({ flags, json, output, client, connection }) {
        const label = textFlag(flags, "label");
        const body = { profile: readProfile(connection().key), ...(label !== undefined && { label }) };
        const made = await client().http.json(CreatedKey, "POST", "/v1/keys", { body });
        if (json) return output.json(made);
        output.note(`${made.id} is made. Keep the key now: it is not shown again.`);
        output.text(made.key);
      },
    },
    {
      name: "revoke",
      words: "ID",
      help: "refuse this key from now on",
      flags: YES_FLAG,
      async run({ words: [id = ""], flags, json, output, client }) {
        if (!(await output.confirm(`Revoke ${id}? Programs that use it stop working.`, flags.yes === true))) return;
        await client().revokeKey(id);
        if (json) output.json({ id, revoked: true });
        else output.note(`${id} is revoked.`);
      },
    },
  ],
};

/** `tal_<profile>_<secret>`. */
function readProfile(key: string): string {
  return key.split("_")[1] ?? "";
}
