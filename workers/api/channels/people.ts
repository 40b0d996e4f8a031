// A channel's people and chats over HTTP: who asks to talk, who may, and which conversations there are. The profile's Channels object keeps them.
import { createRoute } from "@hono/zod-openapi";
import * as z from "zod";
import {
  ApprovePairing,
  ApprovedPairing,
  ChangeChannelChat,
  ChannelChat,
  ChannelChatList,
  ChannelPerson,
  ChannelPersonList,
  PairingList,
  PutChannelPerson,
} from "../../../core/schemas/channels/people-api.ts";
import { pageQuery, toSortedPage } from "../pages.ts";
import { unwrap } from "../problems.ts";
import { PROBLEM_RESPONSE, createRouter, describeResponses, jsonBody, refuses } from "../router.ts";
import { ChannelParams, openChannels } from "./channels.ts";

export const channelPeople = createRouter();

const MAX_PAGE = 200;

const PairingParams = ChannelParams.extend({ pairing: z.string().min(1).max(64) });
const PersonParams = ChannelParams.extend({
  person: z
    .string()
    .min(1)
    .max(1_000)
    .meta({ description: "The platform's id of the person, or the hash that lists show" }),
});
const ChatParams = ChannelParams.extend({ chat: z.string().min(1).max(100) });

channelPeople.openapi(
  createRoute({
    method: "get",
    path: "/v1/channels/{platform}/pairings",
    operationId: "listPairings",
    ...refuses("channel_not_found"),
    description:
      "Lists the requests of strangers to talk, oldest first. At most three wait, each for an hour. Codes are not shown.",
    request: { params: ChannelParams },
    responses: describeResponses(200, "The requests that wait", PairingList),
  }),
  async (c) => {
    const { platform } = c.req.valid("param");
    return c.json({ pairings: unwrap(await openChannels(c).people("listPairings", platform)) }, 200);
  },
);

channelPeople.openapi(
  createRoute({
    method: "post",
    path: "/v1/channels/{platform}/pairings",
    operationId: "approvePairing",
    scope: "admin",
    ...refuses("channel_not_found", "pairing_code_wrong", "pairing_locked", "too_many_people"),
    description:
      "Approves a stranger by the code that the bot gave them, as a user, an admin or the owner, and tells them. A code works once. After five wrong " +
      "codes nothing can be approved for an hour.",
    request: { params: ChannelParams, body: jsonBody(ApprovePairing) },
    responses: describeResponses(200, "The person", ApprovedPairing),
  }),
  async (c) => {
    const { code, role } = c.req.valid("json");
    const { platform } = c.req.valid("param");
    return c.json(unwrap(await openChannels(c).people("approvePairing", platform, code, role)), 200);
  },
);

channelPeople.openapi(
  createRoute({
    method: "delete",
    path: "/v1/channels/{platform}/pairings/{pairing}",
    operationId: "refusePairing",
    scope: "admin",
    ...refuses("channel_not_found", "pairing_not_found"),
    description:
      "Refuses a request: its code no longer works. The person is not told, and can ask again after ten minutes.",
    request: { params: PairingParams },
    responses: { 204: { description: "Refused" }, default: PROBLEM_RESPONSE },
  }),
  async (c) => {
    const { platform, pairing } = c.req.valid("param");
    unwrap(await openChannels(c).people("refusePairing", platform, pairing));
    return c.body(null, 204);
  },
);

channelPeople.openapi(
  createRoute({
    method: "get",
    path: "/v1/channels/{platform}/people",
    operationId: "listChannelPeople",
    ...refuses("channel_not_found"),
    description:
      "Lists the people who were approved, by pairing or by `PUT`. Those in the lists of `options` are not repeated here.",
    request: { params: ChannelParams, query: z.strictObject(pageQuery(MAX_PAGE)) },
    responses: describeResponses(200, "A page of people", ChannelPersonList),
  }),
  async (c) => {
    const people = unwrap(await openChannels(c).people("listPeople", c.req.valid("param").platform));
    const { page, ...more } = toSortedPage(people, { ...c.req.valid("query"), sortKey: ({ person }) => person });
    return c.json({ people: page, ...more }, 200);
  },
);

channelPeople.openapi(
  createRoute({
    method: "put",
    path: "/v1/channels/{platform}/people/{person}",
    operationId: "putChannelPerson",
    scope: "admin",
    ...refuses("channel_not_found", "too_many_people"),
    description: "Lets a person talk, or gives them another role. The lists of `options` go before it.",
    request: { params: PersonParams, body: jsonBody(PutChannelPerson) },
    responses: describeResponses(200, "The person", ChannelPerson),
  }),
  async (c) => {
    const { platform, person } = c.req.valid("param");
    return c.json(unwrap(await openChannels(c).people("putPerson", platform, person, c.req.valid("json"))), 200);
  },
);

channelPeople.openapi(
  createRoute({
    method: "delete",
    path: "/v1/channels/{platform}/people/{person}",
    operationId: "deleteChannelPerson",
    scope: "admin",
    ...refuses("channel_not_found", "person_not_found"),
    description: "Takes the approval of a person back. Their next message is that of a stranger.",
    request: { params: PersonParams },
    responses: { 204: { description: "Removed" }, default: PROBLEM_RESPONSE },
  }),
  async (c) => {
    const { platform, person } = c.req.valid("param");
    unwrap(await openChannels(c).people("removePerson", platform, person));
    return c.body(null, 204);
  },
);

channelPeople.openapi(
  createRoute({
    method: "get",
    path: "/v1/channels/{platform}/chats",
    operationId: "listChats",
    ...refuses("channel_not_found"),
    description:
      "Lists the conversations of a channel: each with its session, when the agent answers there, and its topics.",
    request: { params: ChannelParams, query: z.strictObject(pageQuery(MAX_PAGE)) },
    responses: describeResponses(200, "A page of chats", ChannelChatList),
  }),
  async (c) => {
    const chats = unwrap(await openChannels(c).people("listChats", c.req.valid("param").platform));
    const { page, ...more } = toSortedPage(chats, { ...c.req.valid("query"), sortKey: ({ id }) => id });
    return c.json({ chats: page, ...more }, 200);
  },
);

channelPeople.openapi(
  createRoute({
    method: "patch",
    path: "/v1/channels/{platform}/chats/{chat}",
    operationId: "changeChat",
    scope: "admin",
    ...refuses("channel_not_found", "chat_not_found"),
    description:
      "Changes when the agent answers in a chat, ends its topics, or makes it the home of what concerns no chat.",
    request: { params: ChatParams, body: jsonBody(ChangeChannelChat) },
    responses: describeResponses(200, "The chat", ChannelChat),
  }),
  async (c) => {
    const { platform, chat } = c.req.valid("param");
    return c.json(unwrap(await openChannels(c).people("changeChat", platform, chat, c.req.valid("json"))), 200);
  },
);
