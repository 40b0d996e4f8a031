// Set-up of channels: the platforms that there are, a profile's channels, their settings, a trial. The profile's Channels object keeps them.
import { createRoute } from "@hono/zod-openapi";
import type { Context } from "hono";
import * as z from "zod";
import { loadPlatforms } from "../../../channels/index.ts";
import type { Platform } from "../../../core/channels/platform.ts";
import type { Result } from "../../../core/errors.ts";
import {
  ChangeChannel,
  ChannelList,
  type PlatformInfo,
  PutChannel,
  TestChannel,
  TestedChannel,
} from "../../../core/schemas/channels/channel-api.ts";
import { ChannelState } from "../../../core/schemas/channels/channel.ts";
import { PlatformName } from "../../../core/schemas/channels/inbound.ts";
import type { Channels } from "../../../durable-objects/channels/channels.ts";
import { readPublicUrl } from "../../../durable-objects/channels/open-channel.ts";
import type { ApiEnv } from "../auth/principal.ts";
import { parseEnvSettings } from "../env.ts";
import { unwrap } from "../problems.ts";
import {
  PROBLEM_RESPONSE,
  createRouter,
  describeResponses,
  jsonBody,
  optionalJsonBody,
  refuses,
  toInvalid,
} from "../router.ts";

export const channels = createRouter();

export const ChannelParams = z.object({ platform: PlatformName });

/** The platform's types turn an `unknown` in an answer into `never`. The values cross unchanged. */
export function openChannels({ env, var: { profile } }: Context<ApiEnv>): ChannelsRpc {
  return env.CHANNELS.getByName(profile) as unknown as ChannelsRpc;
}

type ChannelsRpc = Omit<Channels, "fetch" | "alarm">;

channels.openapi(
  createRoute({
    method: "get",
    path: "/v1/channels",
    operationId: "listChannels",
    description:
      "Lists every platform: the fields that `PUT` takes, what a person does on the platform first, what it can do, and the profile's channel " +
      "with its state. Secrets are shown as `null`.",
    responses: describeResponses(200, "All platforms", ChannelList),
  }),
  async (c) => {
    const [platforms, states] = await Promise.all([loadPlatforms(), openChannels(c).list()]);
    const base = readPublicUrl(c.env, parseEnvSettings(c.env));
    const toInfo = (platform: Platform): PlatformInfo => {
      const { name, title, form, steps, capabilities } = platform;
      const address = base === null ? null : `${base}/channels/${name}/${c.var.profile}`;
      const shown = address ?? `<your public address>/channels/${name}/${c.var.profile}`;
      return {
        ...{ platform: name, title, form: [...form], capabilities, address },
        steps: steps.map((step) => step.replaceAll("{address}", shown)),
        channel: states.find((state) => state.platform === name) ?? null,
      };
    };
    return c.json({ channels: platforms.map(toInfo) }, 200);
  },
);

channels.openapi(
  createRoute({
    method: "get",
    path: "/v1/channels/{platform}",
    operationId: "readChannel",
    ...refuses("channel_not_found"),
    description: "Reads a channel of the profile and how it is. Secrets are shown as `null`.",
    request: { params: ChannelParams },
    responses: describeResponses(200, "The channel", ChannelState),
  }),
  async (c) => c.json(unwrap(await openChannels(c).read(c.req.valid("param").platform)), 200),
);

channels.openapi(
  createRoute({
    method: "put",
    path: "/v1/channels/{platform}",
    operationId: "putChannel",
    scope: "admin",
    ...refuses("sealing_key_missing", "platform_unavailable"),
    description:
      "Sets a channel up, or replaces its fields. Talaria then asks the platform who the bot is, and tells it the channel's address and commands " +
      "where the platform can be told. A platform that does not answer refuses nothing: the channel is saved, and `lastError` says why it is " +
      "not verified. Without `options` those of before remain.",
    request: { params: ChannelParams, body: jsonBody(PutChannel) },
    responses: describeResponses(200, "The channel", ChannelState),
  }),
  async (c) => {
    const { options, ...fields } = c.req.valid("json");
    const { platform } = c.req.valid("param");
    return c.json(unwrapInput(await openChannels(c).put(platform, { fields, options })), 200);
  },
);

channels.openapi(
  createRoute({
    method: "patch",
    path: "/v1/channels/{platform}",
    operationId: "changeChannel",
    scope: "admin",
    ...refuses("channel_not_found", "sealing_key_missing", "platform_unavailable", "secret_unreadable"),
    description:
      "Changes single fields of a channel, and single `options`. `null` takes a value away. Everything else stays as it was.",
    request: { params: ChannelParams, body: jsonBody(ChangeChannel) },
    responses: describeResponses(200, "The channel", ChannelState),
  }),
  async (c) => {
    const { options, ...fields } = c.req.valid("json");
    const { platform } = c.req.valid("param");
    return c.json(unwrapInput(await openChannels(c).change(platform, { fields, options })), 200);
  },
);

channels.openapi(
  createRoute({
    method: "delete",
    path: "/v1/channels/{platform}",
    operationId: "deleteChannel",
    scope: "admin",
    ...refuses("channel_not_found"),
    description:
      "Removes a channel with its secrets, people, chats and everything that waits in it. Its sessions stay. The platform is told, if it answers.",
    request: { params: ChannelParams },
    responses: { 204: { description: "Removed" }, default: PROBLEM_RESPONSE },
  }),
  async (c) => {
    unwrap(await openChannels(c).remove(c.req.valid("param").platform));
    return c.body(null, 204);
  },
);

channels.openapi(
  createRoute({
    method: "post",
    path: "/v1/channels/{platform}/test",
    operationId: "testChannel",
    scope: "admin",
    ...refuses("channel_not_found"),
    description:
      "Tries a channel: asks the platform who the bot is, tells it the channel's address, and with `chat` sends a message there. The answer " +
      "says what worked.",
    request: { params: ChannelParams, body: optionalJsonBody(TestChannel) },
    responses: describeResponses(200, "What worked", TestedChannel),
  }),
  async (c) =>
    c.json(unwrap(await openChannels(c).tryOut(c.req.valid("param").platform, c.req.valid("json").chat)), 200),
);

/** A refusal of what was sent names the field, as for any body. */
function unwrapInput(result: Result<ChannelState>): ChannelState {
  if (!result.ok && result.failure.code === "channel_invalid") {
    throw toInvalid("json", result.failure.facts!.issues as Parameters<typeof toInvalid>[1]);
  }
  return unwrap(result);
}
