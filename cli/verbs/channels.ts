// `talaria channels`: the messaging platforms on which people reach the agent. Secrets are asked for or come from the environment; they
// are never words of the command line, which other programs can read.
import { ChannelList, type PlatformInfo, TestedChannel } from "../../core/schemas/channels/channel-api.ts";
import { ChannelState } from "../../core/schemas/channels/channel.ts";
import { YES_FLAG } from "../command-line/flags.ts";
import { type Verb, type VerbCall, textFlags } from "../command-line/verb.ts";
import { readFields } from "../platforms/read-fields.ts";
import { describeChannel, describeNext, renderForm } from "../platforms/show-channel.ts";
import { findChannel, findPlatform } from "../platforms/find-platform.ts";
import { PEOPLE_ACTIONS } from "../platforms/people-actions.ts";
import { EXIT } from "../command-line/exit-codes.ts";
import type { Column } from "../output/table.ts";
import { formatTime } from "../output/times.ts";

const LINE: Column<PlatformInfo>[] = [
  { title: "platform", cell: ({ platform }) => platform },
  { title: "state", cell: ({ channel }) => channel?.state ?? "not set up" },
  { title: "bot", cell: ({ channel }) => channel?.self?.name ?? "" },
  { title: "last in", cell: ({ channel }) => formatTime(channel?.lastIn ?? null) },
  { title: "last out", cell: ({ channel }) => formatTime(channel?.lastOut ?? null) },
  { title: "last error", cell: ({ channel }) => channel?.lastError?.message ?? "", shrinks: true },
];

const PEOPLE_FLAGS = {
  owner: { type: "string", multiple: true, value: "ID", help: "the id or handle of a person who owns the profile" },
  admin: {
    type: "string",
    multiple: true,
    value: "ID",
    help: "of a person who may manage sessions and decide approvals",
  },
  user: { type: "string", multiple: true, value: "ID", help: "of a person who may talk" },
} as const;

export const channels: Verb = {
  name: "channels",
  help: "list, set up, try or remove the messaging platforms on which people reach the agent",
  actions: [
    {
      name: "list",
      help: "the channels that are set up, and how they are",
      flags: { all: { type: "boolean", help: "also the platforms that are not set up" } },
      async run({ flags, json, output, client }) {
        const { channels: found } = await client().call(ChannelList, "GET /v1/channels");
        const listed = found.filter(({ channel }) => flags.all === true || channel !== null);
        if (json) output.json({ channels: listed });
        else output.table(listed, LINE, "No channel is set up. `talaria channels list --all` shows the platforms.");
      },
    },
    {
      name: "show",
      words: "PLATFORM",
      help: "how a platform is set up, what it takes and what it can do",
      async run({ words: [name = ""], json, output, client }) {
        const found = await findPlatform(client(), name);
        if (json) output.json(found);
        else
          output.text(`${renderForm(found)}${found.channel ? `\n${describeChannel(found.title, found.channel)}` : ""}`);
      },
    },
    {
      name: "set",
      words: "PLATFORM [FIELD=VALUE...]",
      help: "set a channel up, or replace its fields; asks for what is missing",
      flags: {
        "from-env": { type: "boolean", help: "takes fields from variables such as SLACK_BOT_TOKEN, and asks nothing" },
        ...PEOPLE_FLAGS,
      },
      run: setChannel,
    },
    {
      name: "test",
      words: "PLATFORM [CHAT]",
      help: "ask the platform who the bot is, tell it the address, and with CHAT send a message there",
      async run({ words: [name = "", chat], json, output, client }) {
        const api = client();
        const { platform, title } = await findChannel(api, name);
        const tested = await api.call(TestedChannel, "POST /v1/channels/{platform}/test", {
          params: { platform },
          body: chat === undefined ? {} : { chat },
        });
        if (json) output.json(tested);
        else output.text(describeTest(title, tested));
        return tested.error === null ? EXIT.answered : EXIT.failed;
      },
    },
    ...PEOPLE_ACTIONS,
    {
      name: "remove",
      words: "PLATFORM",
      help: "remove a channel with its secrets, people and chats; its sessions stay",
      flags: YES_FLAG,
      async run({ words: [name = ""], flags, json, output, client }) {
        const api = client();
        const { platform, title } = await findChannel(api, name);
        const question = `Remove ${title}? Its secrets, people, chats and waiting messages are deleted.`;
        if (!(await output.confirm(question, flags.yes === true))) return;
        await api.send("DELETE /v1/channels/{platform}", { params: { platform } });
        if (json) output.json({ platform, removed: true });
        else output.note(`${title} is removed.`);
      },
    },
  ],
};

async function setChannel({ words: [name = "", ...given], flags, json, output, env, client }: VerbCall) {
  const api = client();
  const info = await findPlatform(api, name);
  const fields = await readFields({ info, given, env: flags["from-env"] === true ? env : null, output });
  const options = Object.fromEntries(
    (["owner", "admin", "user"] as const)
      .map((role) => [`${role}s`, textFlags(flags, role)] as const)
      .filter(([, ids]) => ids.length > 0),
  );
  const hasOptions = Object.keys(options).length > 0;
  const kept = hasOptions && info.channel ? { ...info.channel.options, ...options } : options;
  const channel = await api.call(ChannelState, "PUT /v1/channels/{platform}", {
    params: { platform: info.platform },
    body: { ...fields, ...(hasOptions && { options: kept }) },
  });
  if (json) return output.json(channel);
  output.text(describeChannel(info.title, channel));
  output.note(describeNext(info));
}

function describeTest(title: string, { verified, self, registered, sent, error }: TestedChannel): string {
  return [
    verified
      ? `${title} accepts the credentials${self ? `: the bot is ${self.name}` : ""}.`
      : `${title} is not verified.`,
    ...(registered === null
      ? []
      : [registered ? "It knows the channel's address." : "It does not know the channel's address."]),
    ...(sent === null ? [] : [sent ? "The message was sent." : "The message was not sent."]),
    ...(error ? [error.message] : []),
  ].join("\n");
}
