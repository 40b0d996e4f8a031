// What the API asks a Channels object about its people and chats: requests to talk, approved people, conversations. Called by channels.ts. Ids of
// people are hidden where the operator wants it, and a hidden id names the person as well.
import { loadPlatform } from "../../channels/index.ts";
import { toListening } from "../../core/channels/hearing.ts";
import type { ChatRow } from "../../core/channels/inbox/chat-rows.ts";
import type { Said } from "../../core/channels/delivery/ports.ts";
import { type Pairing, TOO_MANY_PEOPLE } from "../../core/channels/people/pairing.ts";
import type { PeopleRows, PersonRow } from "../../core/channels/people/people-rows.ts";
import { createIdRedaction } from "../../core/channels/people/redact-ids.ts";
import { type TopicRows, toBaseKey } from "../../core/channels/topics/topic-rows.ts";
import { type Result, err, ok } from "../../core/errors.ts";
import type { PlatformName } from "../../core/schemas/channels/inbound.ts";
import type { ChannelOptions, ChannelRole } from "../../core/schemas/channels/options.ts";
import type {
  ApprovedPairing,
  ChangeChannelChat,
  ChannelChat,
  ChannelPerson,
  Pairing as PairingInfo,
} from "../../core/schemas/channels/people-api.ts";
import type { ChannelsContext } from "./context.ts";
import { NOT_FOUND } from "./set-up.ts";

export interface PeopleDeskDeps {
  context: ChannelsContext;
  pairing: Pairing;
  people: PeopleRows;
  topics: TopicRows;
  say(said: Said): void;
  home(platform: PlatformName): string | null;
  setHome(platform: PlatformName, chat: string | null): void;
  /** False: this profile never had a channel, and there are no tables. */
  hasTables(): boolean;
}

const ROLES: Record<ChannelRole, string> = { owner: "its owner", admin: "an admin", user: "a user" };

export type PeopleDesk = ReturnType<typeof createPeopleDesk>;

/** Each call fails with `channel_not_found` where the profile has no such channel. */
export function createPeopleDesk(deps: PeopleDeskDeps) {
  const { context, pairing, people, topics } = deps;
  const { channels, chats, clock } = context;

  async function open(name: PlatformName) {
    const row = deps.hasTables() ? channels.find(name) : null;
    const platform = row && (await loadPlatform(name));
    if (!platform) return NOT_FOUND;
    const isHidden = platform.capabilities.redactsIds && context.settings().privacy.redactIds;
    const redaction = createIdRedaction({ profile: context.profile, platform: name }, isHidden);
    return ok({ ...redaction, options: row.channel.options, savedAt: row.channel.savedAt, title: platform.title });
  }

  /** The person whose id, or hidden id, this is. */
  function findPerson(name: PlatformName, asked: string, hideId: (id: string) => string): PersonRow | null {
    return people.find(name, asked) ?? people.list(name).find(({ id }) => hideId(id) === asked) ?? null;
  }

  function toChat(name: PlatformName, chat: ChatRow, options: ChannelOptions): ChannelChat {
    const { id, address, shared, session, lastIn } = chat;
    return {
      ...{ id, kind: address.kind, shared, session, lastIn, listen: toListening(options, address.id) },
      ...(address.title !== undefined && { title: address.title }),
      ...(address.thread !== undefined && { thread: address.thread }),
      topics: topics.list(toBaseKey(chat.key)).map((topic) => ({
        ...{ name: topic.name, current: topic.current },
        ...(topic.thread !== null && { thread: topic.thread }),
      })),
      home: deps.home(name) === id,
    };
  }

  function setListening(name: PlatformName, chat: string, listen: NonNullable<ChangeChannelChat["listen"]> | null) {
    const row = channels.find(name)!;
    const { options, savedAt } = row.channel;
    const { listen: _, ...rest } = (Object.hasOwn(options.chats, chat) && options.chats[chat]) || {};
    const own = { ...rest, ...(listen !== null && { listen }) };
    channels.change(name, savedAt, { options: { ...options, chats: { ...options.chats, [chat]: own } } });
  }

  return {
    async listPairings(name: PlatformName): Promise<Result<PairingInfo[]>> {
      const opened = await open(name);
      if (!opened.ok) return opened;
      const { hideId, hideName } = opened.value;
      return ok(
        pairing.list(name).map((row) => ({
          ...{ id: row.id, person: hideId(row.person), name: hideName({ id: row.person, name: row.name }) },
          ...{ at: row.at, expiresAt: row.expiresAt },
        })),
      );
    },

    /** Tells the person. Failures: those of `Pairing.approve`. */
    async approvePairing(name: PlatformName, code: string, role: ChannelRole): Promise<Result<ApprovedPairing>> {
      const opened = await open(name);
      if (!opened.ok) return opened;
      const approved = pairing.approve(name, code, role);
      if (!approved.ok) return approved;
      const { person, chat, ...rest } = approved.value;
      chats.admit(chat);
      const text = `You may talk to this agent now, as ${ROLES[role]}. Write what you need. /help lists the commands.`;
      deps.say({ id: `paired.${name}.${chat}.${clock.now()}`, chat, text });
      await context.arm();
      const { hideId, hideName } = opened.value;
      return ok({ person: hideId(person), name: hideName({ id: person, name: rest.name }), role: rest.role });
    },

    /** Failure: `pairing_not_found`. */
    async refusePairing(name: PlatformName, id: string): Promise<Result<null>> {
      const opened = await open(name);
      if (!opened.ok) return opened;
      return pairing.refuse(name, id) ? ok(null) : err("pairing_not_found", "No request that waits has this id.");
    },

    async listPeople(name: PlatformName): Promise<Result<ChannelPerson[]>> {
      const opened = await open(name);
      return opened.ok ? ok(people.list(name).map((row) => toPerson(row, opened.value))) : opened;
    },

    /** Failure: `too_many_people`. */
    async putPerson(
      name: PlatformName,
      asked: string,
      { role, name: called = "" }: { role: ChannelRole; name?: string | undefined },
    ): Promise<Result<ChannelPerson>> {
      const opened = await open(name);
      if (!opened.ok) return opened;
      const known = findPerson(name, asked, opened.value.hideId);
      const id = known?.id ?? asked;
      if (!people.put(name, { id, name: called, role, by: "owner", at: clock.now() })) return TOO_MANY_PEOPLE;
      return ok(toPerson(people.find(name, id)!, opened.value));
    },

    /** Failure: `person_not_found`. */
    async removePerson(name: PlatformName, asked: string): Promise<Result<null>> {
      const opened = await open(name);
      if (!opened.ok) return opened;
      const { hideId } = opened.value;
      const known = findPerson(name, asked, hideId);
      if (!known) return NO_PERSON;
      return context.sql.transaction(() => {
        for (const id of new Set([known.id, hideId(known.id)])) chats.dismiss(name, id);
        const home = deps.home(name);
        if (home !== null && chats.find(home)?.stranger) deps.setHome(name, null);
        return people.remove(name, known.id) ? ok(null) : NO_PERSON;
      });
    },

    async listChats(name: PlatformName): Promise<Result<ChannelChat[]>> {
      const opened = await open(name);
      if (!opened.ok) return opened;
      const { options } = opened.value;
      return ok(chats.list(name).map((chat) => toChat(name, chat, options)));
    },

    /** Failure: `chat_not_found`. */
    async changeChat(name: PlatformName, id: string, changes: ChangeChannelChat): Promise<Result<ChannelChat>> {
      const opened = await open(name);
      if (!opened.ok) return opened;
      const chat = chats.find(id);
      if (chat?.platform !== name) return err("chat_not_found", "The channel has no such chat.");
      context.sql.transaction(() => {
        if (changes.listen !== undefined) setListening(name, chat.address.id, changes.listen);
        if (changes.topic === "off") topics.off(toBaseKey(chat.key));
        if (changes.home === true) {
          chats.admit(id);
          deps.setHome(name, id);
        }
        if (changes.home === false && deps.home(name) === id) deps.setHome(name, null);
      });
      return ok(toChat(name, chat, channels.find(name)!.channel.options));
    },
  };
}

const NO_PERSON = err(
  "person_not_found",
  "Nobody with this id was approved. Lists of `options` are changed with PATCH.",
);

function toPerson(
  { id, name, role, by, at }: PersonRow,
  { hideId, hideName }: ReturnType<typeof createIdRedaction>,
): ChannelPerson {
  return { person: hideId(id), name: hideName({ id, name }), role, by, at };
}
