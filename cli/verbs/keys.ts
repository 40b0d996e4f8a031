// `talaria keys`: the keys of the profile. A new key is shown once, on stdout.
import { CreatedKey, KeyInfo, KeyList } from "../../core/schemas/api.ts";
import { Scope } from "../../core/schemas/keys/scope.ts";
import { PAGE_FLAGS, YES_FLAG } from "../command-line/flags.ts";
import { showList } from "../command-line/pages.ts";
import type { Column } from "../output/table.ts";
import { formatTime } from "../output/times.ts";
import { type Verb, textFlag } from "../command-line/verb.ts";
import { UsageError } from "../connection/connection.ts";

const LINE: Column<KeyInfo>[] = [
  { title: "id", cell: ({ id }) => id },
  { title: "made", cell: ({ createdAt }) => formatTime(createdAt) },
  { title: "used", cell: ({ usedAt }) => formatTime(usedAt ?? null) },
  { title: "ends", cell: ({ expiresAt }) => formatTime(expiresAt ?? null) },
  { title: "may", cell: ({ scopes }) => scopes.join(" ") },
  { title: "label", cell: ({ label }) => label, shrinks: true },
];

export const keys: Verb = {
  name: "keys",
  help: "list, make, rename, rotate or revoke the keys of the profile",
  actions: [
    {
      name: "list",
      help: "the valid keys, without their secrets",
      flags: PAGE_FLAGS,
      run: (call) =>
        showList(call, {
          schema: KeyList,
          route: "GET /v1/keys",
          field: "keys",
          itemsOf: (answer) => answer.keys,
          columns: LINE,
          empty: "There is no key.",
        }),
    },
    {
      name: "make",
      help: "a new key, written to stdout and never shown again",
      flags: {
        label: { type: "string", value: "TEXT", help: "what it is for" },
        scopes: {
          type: "string",
          value: "LIST",
          help: `what it may do: ${Scope.options.join(",")} (default: as your own)`,
        },
        days: { type: "string", value: "N", help: "it ends after N days" },
      },
      async run({ flags, json, output, client, connection }) {
        const label = textFlag(flags, "label");
        const scopes = readScopes(textFlag(flags, "scopes"));
        const expiresAt = readEnd(textFlag(flags, "days"));
        const body = {
          profile: readProfile(connection().key),
          ...(label !== undefined && { label }),
          ...(scopes && { scopes }),
          ...(expiresAt !== undefined && { expiresAt }),
        };
        const made = await client().call(CreatedKey, "POST /v1/keys", { body });
        if (json) return output.json(made);
        output.note(`${made.id} is made. Keep the key now: it is not shown again.`);
        output.text(made.key);
      },
    },
    {
      name: "rename",
      words: "ID LABEL...",
      help: "give it another label",
      async run({ words: [id = "", ...label], json, output, client }) {
        const body = { label: label.join(" ") };
        const changed = await client().call(KeyInfo, "PATCH /v1/keys/{id}", { params: { id }, body });
        if (json) output.json(changed);
        else output.note(`${id} is now: ${changed.label}`);
      },
    },
    {
      name: "rotate",
      words: "ID",
      help: "a new secret, written to stdout and never shown again; the old one ends",
      flags: {
        ...YES_FLAG,
        grace: { type: "string", value: "SECONDS", help: "the old secret still works for so long" },
      },
      async run({ words: [id = ""], flags, json, output, client }) {
        const grace = textFlag(flags, "grace") ?? "0";
        if (!/^\d{1,5}$/.test(grace) || Number(grace) > 86_400)
          throw new UsageError(`--grace takes whole seconds from 0 to 86400, not ${JSON.stringify(grace)}.`);
        if (!(await output.confirm(`Rotate ${id}? Programs with its old secret stop working.`, flags.yes === true)))
          return;
        const rotated = await client().call(CreatedKey, "POST /v1/keys/{id}/rotate", {
          params: { id },
          body: { graceSeconds: Number(grace) },
        });
        if (json) return output.json(rotated);
        output.note(`${id} has a new secret. Keep the key now: it is not shown again.`);
        output.text(rotated.key);
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

function readScopes(text: string | undefined): Scope[] | null {
  if (text === undefined) return null;
  return text.split(/[\s,]+/).map((name) => {
    const scope = Scope.safeParse(name);
    if (scope.success) return scope.data;
    throw new UsageError(`--scopes takes ${Scope.options.join(", ")}, not ${JSON.stringify(name)}.`);
  });
}

const DAY_MS = 86_400_000;

function readEnd(days: string | undefined): number | undefined {
  if (days === undefined) return undefined;
  if (/^[1-9]\d{0,3}$/.test(days)) return Date.now() + Number(days) * DAY_MS;
  throw new UsageError(`--days takes a whole number from 1, not ${JSON.stringify(days)}.`);
}
