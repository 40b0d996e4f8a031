// Pairing: a stranger gets a code, and whoever holds a key of the profile approves it and names the role. Called by durable-objects/channels.
// Synchronous. Nothing that anybody writes in a chat approves a code. Limits: hermes-agent, `gateway/pairing.py`.
import { type Result, err, ok } from "../../errors.ts";
import type { Clock, Sql } from "../../ports.ts";
import type { PlatformName, Sender } from "../../schemas/channels/inbound.ts";
import type { ChannelRole } from "../../schemas/channels/options.ts";
import { sha256Hex } from "../../schemas/learning/digest.ts";
import { createPairingRows } from "./pairing-rows.ts";
import { createPeopleRows } from "./people-rows.ts";

/** 32 letters and digits, without I, O, 0 and 1, which look alike. Eight of them are 40 random bits. */
const ALPHABET = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789";
const CODE_CHARS = 8;
const CODE_MS = 60 * 60_000;
/** A person gets one answer in this time. */
const REQUEST_EVERY_MS = 10 * 60_000;
/** Of one platform. */
const MAX_PENDING = 3;
const MAX_WRONG = 5;
const LOCK_MS = 60 * 60_000;
/** [own] People who were told that too many wait. More are not answered. */
const MAX_TOLD = 50;

export type PairingAnswer =
  /** Tell the person this code. It is not stored, and cannot be told again. */
  | { tell: "code"; code: string }
  /** Tell the person that too many wait. */
  | { tell: "full" }
  | { tell: "nothing" };

export interface PendingPairing {
  id: string;
  person: string;
  name: string;
  at: number;
  expiresAt: number;
}

/** `chat`: the row of the chat that the person wrote in. */
export interface ApprovedPairing {
  person: string;
  name: string;
  role: ChannelRole;
  chat: string;
}

export interface PairingDeps {
  sql: Sql;
  clock: Clock;
  /** Cryptographically random. */
  randomBytes(length: number): Uint8Array;
  /** In constant time. */
  isSame(a: string, b: string): boolean;
}

export type Pairing = ReturnType<typeof createPairing>;

/** The tables of pairing-rows.ts and people-rows.ts must exist. */
export function createPairing({ sql, clock, randomBytes, isSame }: PairingDeps) {
  const rows = createPairingRows(sql);
  const people = createPeopleRows(sql);

  function listLive(platform: PlatformName) {
    const now = clock.now();
    return rows.list(platform).filter(({ hash, at }) => hash !== null && now < at + CODE_MS);
  }

  /** Counts a wrong code. */
  function noteWrong(platform: PlatformName): void {
    const now = clock.now();
    const lock = rows.lock(platform);
    const isFresh = now < lock.since + LOCK_MS;
    const wrong = (isFresh ? lock.wrong : 0) + 1;
    const since = isFresh ? lock.since : now;
    rows.putLock(
      platform,
      wrong >= MAX_WRONG ? { wrong: 0, since: now, until: now + LOCK_MS } : { wrong, since, until: 0 },
    );
  }

  return {
    /** For a sender whose verdict is `pair`. Store the answer's message in the same transaction. */
    request(platform: PlatformName, from: Pick<Sender, "id" | "name">, chat: string): PairingAnswer {
      const now = clock.now();
      rows.prune(platform, { codes: now - CODE_MS, others: now - REQUEST_EVERY_MS });
      const all = rows.list(platform);
      const own = all.find(({ person }) => person === from.id);
      if (own && now < own.at + REQUEST_EVERY_MS) return { tell: "nothing" };
      const others = all.filter(({ person }) => person !== from.id);
      const isFull = others.filter(({ hash }) => hash !== null).length >= MAX_PENDING;
      if (isFull && others.length >= MAX_TOLD) return { tell: "nothing" };
      const code = makeCode(randomBytes(CODE_CHARS));
      const salt = toHex(randomBytes(16));
      const id = toHex(randomBytes(8));
      const hash = isFull ? null : hashCode(salt, code);
      rows.put(platform, { person: from.id, id, name: from.name, chat, salt, hash, at: now });
      return isFull ? { tell: "full" } : { tell: "code", code };
    },

    /**
     * Once for each code. Opens a transaction. Failures: `pairing_locked` (fact `retryAfterMs`), `pairing_code_wrong` (never sent, used,
     * expired, or of another platform), `too_many_people`.
     */
    approve(platform: PlatformName, code: string, role: ChannelRole): Result<ApprovedPairing> {
      return sql.transaction(() => {
        const now = clock.now();
        const { until } = rows.lock(platform);
        if (now < until) {
          const minutes = Math.ceil((until - now) / 60_000);
          const message = `Too many wrong codes. Approving is possible again in ${minutes} minutes.`;
          return err("pairing_locked", message, { retryAfterMs: until - now });
        }
        const given = normaliseCode(code);
        const right = listLive(platform).filter(({ salt, hash }) => isSame(hash!, hashCode(salt, given)))[0];
        if (!right) {
          noteWrong(platform);
          const message =
            "No request that waits has this code. Codes are valid for an hour; write to the bot again for a new one.";
          return err("pairing_code_wrong", message);
        }
        const { person, name, chat } = right;
        if (!people.put(platform, { id: person, name, role, by: "pairing", at: now })) return TOO_MANY_PEOPLE;
        rows.remove(platform, person);
        rows.putLock(platform, { wrong: 0, since: 0, until: 0 });
        return ok({ person, name, role, chat });
      });
    },

    /** Oldest first. */
    list: (platform: PlatformName): PendingPairing[] =>
      listLive(platform).map(({ id, person, name, at }) => ({ id, person, name, at, expiresAt: at + CODE_MS })),

    /** The person can ask again after ten minutes. False: no request that waits has the id. */
    refuse(platform: PlatformName, id: string): boolean {
      const found = listLive(platform).find((row) => row.id === id);
      if (found) rows.put(platform, { ...found, hash: null, at: clock.now() });
      return found !== undefined;
    },
  };
}

export const TOO_MANY_PEOPLE = err("too_many_people", "The channel has 1,000 approved people. Remove some first.");

/** A byte has eight times the alphabet's 32 signs, so each is as likely. */
function makeCode(bytes: Uint8Array): string {
  return [...bytes].map((byte) => ALPHABET[byte % ALPHABET.length]).join("");
}

/** As people type a code. */
function normaliseCode(code: string): string {
  return code.replace(/[\s-]/g, "").toUpperCase();
}

function hashCode(salt: string, code: string): string {
  return sha256Hex(`${salt}\n${code}`);
}

function toHex(bytes: Uint8Array): string {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
