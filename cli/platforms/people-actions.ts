// The actions of `talaria channels` about people and chats: who asks to talk, who may, and which conversations there are.
import { ChannelRole } from "../../core/schemas/channels/options.ts";
import {
  ApprovedPairing,
  ChannelChatList,
  ChannelPerson,
  ChannelPersonList,
  PairingList,
} from "../../core/schemas/channels/people-api.ts";
import type * as z from "zod";
import { PAGE_FLAGS, YES_FLAG } from "../command-line/flags.ts";
import { showList } from "../command-line/pages.ts";
import { type Action, type Flags, readChoice } from "../command-line/verb.ts";
import type { Column } from "../output/table.ts";
import { formatTime } from "../output/times.ts";
import { findChannel } from "./find-platform.ts";

const ROLE_FLAG: Flags = { role: { type: "string", value: "ROLE", help: "owner, admin or user (default: user)" } };

const PERSON: Column<z.infer<typeof ChannelPerson>>[] = [
  { title: "person", cell: ({ person }) => person },
  { title: "role", cell: ({ role }) => role },
  { title: "since", cell: ({ at }) => formatTime(at) },
  { title: "name", cell: ({ name }) => name, shrinks: true },
];

const PAIRING: Column<z.infer<typeof PairingList>["pairings"][number]>[] = [
  { title: "person", cell: ({ person }) => person },
  { title: "asked", cell: ({ at }) => formatTime(at) },
  { title: "code ends", cell: ({ expiresAt }) => formatTime(expiresAt) },
  { title: "name", cell: ({ name }) => name, shrinks: true },
];

const CHAT: Column<z.infer<typeof ChannelChatList>["chats"][number]>[] = [
  { title: "id", cell: ({ id }) => id },
  { title: "kind", cell: ({ kind }) => kind },
  { title: "last in", cell: ({ lastIn }) => formatTime(lastIn) },
  { title: "session", cell: ({ session }) => session ?? "" },
  { title: "home", cell: ({ home }) => (home ? "yes" : "") },
  { title: "title", cell: ({ title, thread }) => [title, thread].filter(Boolean).join(", thread "), shrinks: true },
];

export const PEOPLE_ACTIONS: readonly Action[] = [
  {
    name: "waiting",
    words: "PLATFORM",
    help: "strangers who have a pairing code and wait for your approval",
    async run({ words: [name = ""], json, output, client }) {
      const api = client();
      const { platform } = await findChannel(api, name);
      const waiting = await api.call(PairingList, "GET /v1/channels/{platform}/pairings", { params: { platform } });
      if (json) output.json(waiting);
      else output.table(waiting.pairings, PAIRING, "Nobody waits.");
    },
  },
  {
    name: "approve",
    words: "PLATFORM CODE",
    help: "let the stranger talk to whom the bot gave this code",
    flags: ROLE_FLAG,
    async run({ words: [name = "", code = ""], flags, json, output, client }) {
      const role = readChoice(flags, "role", ChannelRole) ?? "user";
      const api = client();
      const { platform } = await findChannel(api, name);
      const approved = await api.call(ApprovedPairing, "POST /v1/channels/{platform}/pairings", {
        params: { platform },
        body: { code, role },
      });
      if (json) output.json(approved);
      else output.note(`${nameOf(approved)} may talk, as ${describeRole(approved.role)}.`);
    },
  },
  {
    name: "people",
    words: "PLATFORM",
    help: "list the people who were let in, with their roles",
    flags: PAGE_FLAGS,
    async run(call) {
      const { platform } = await findChannel(call.client(), call.words[0] ?? "");
      await showList(call, {
        schema: ChannelPersonList,
        route: "GET /v1/channels/{platform}/people",
        params: { platform },
        field: "people",
        itemsOf: (answer) => answer.people,
        columns: PERSON,
        empty: "Nobody was let in by a code or by name. The channel's options may allow others.",
      });
    },
  },
  {
    name: "let",
    words: "PLATFORM PERSON",
    help: "let somebody talk without a code, or change their role",
    flags: ROLE_FLAG,
    async run({ words: [name = "", person = ""], flags, json, output, client }) {
      const role = readChoice(flags, "role", ChannelRole) ?? "user";
      const api = client();
      const { platform } = await findChannel(api, name);
      const put = await api.call(ChannelPerson, "PUT /v1/channels/{platform}/people/{person}", {
        params: { platform, person },
        body: { role },
      });
      if (json) output.json(put);
      else output.note(`${nameOf(put)} may talk, as ${describeRole(put.role)}.`);
    },
  },
  {
    name: "dismiss",
    words: "PLATFORM PERSON",
    help: "no longer let somebody talk",
    flags: YES_FLAG,
    async run({ words: [name = "", person = ""], flags, json, output, client }) {
      const api = client();
      const { platform, title } = await findChannel(api, name);
      if (!(await output.confirm(`Dismiss ${person} on ${title}?`, flags.yes === true))) return;
      await api.send("DELETE /v1/channels/{platform}/people/{person}", { params: { platform, person } });
      if (json) output.json({ platform, person, dismissed: true });
      else output.note(`${person} may no longer talk.`);
    },
  },
  {
    name: "chats",
    words: "PLATFORM",
    help: "the conversations on a platform; their ids go with `test`",
    flags: PAGE_FLAGS,
    async run(call) {
      const { platform } = await findChannel(call.client(), call.words[0] ?? "");
      await showList(call, {
        schema: ChannelChatList,
        route: "GET /v1/channels/{platform}/chats",
        params: { platform },
        field: "chats",
        itemsOf: (answer) => answer.chats,
        columns: CHAT,
        empty: "Nobody has written yet.",
      });
    },
  },
];

/** Somebody who was let in before they wrote has no name yet. */
function nameOf({ name, person }: { name: string; person: string }): string {
  return name === "" || name === person ? person : `${name} (${person})`;
}

function describeRole(role: ChannelRole): string {
  return role === "user" ? "a user" : `an ${role}`;
}
