// Two profiles with sessions in real objects try by every argument of session_search to reach each other's. What they get is what they get for
// a session that never was.
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import type { PutAnswer } from "../../../core/archive/messages/split-archive.ts";
import type { Result } from "../../../core/errors.ts";
import type { ArchivedTurn } from "../../../core/schemas/archived-message.ts";
import { createSessionSearch } from "../../../core/tools/recall/session-search.ts";
import type { Account } from "../../../durable-objects/account.ts";
import type { Archive } from "../../../durable-objects/archive.ts";
import { systemClock } from "../../../stores/platform/system-clock.ts";
import { newProfileId } from "../../support/skills/profile-ids.ts";
import { toUlid } from "../../support/ulid.ts";

const { ARCHIVE, ACCOUNT } = env as unknown as {
  ARCHIVE: DurableObjectNamespace<Archive>;
  ACCOUNT: DurableObjectNamespace<Account>;
};
const at = (year: number) => Date.UTC(year, 2, 1);
const NOBODYS = toUlid(at(2026), "N0B0DY");

/** A profile with a session of two years, and the tool as a new session of it has it. `wire`: as the Session object does. */
async function createProfile(word: string, end: string) {
  const profile = newProfileId();
  const session = toUlid(at(2026), end);
  const account = ACCOUNT.getByName(profile);
  await account.init(profile);
  await account.registerSession({ session, title: `About ${word}`, learning: "on", createdAt: at(2026) });
  const put = async (turn: ArchivedTurn, year: number | null): Promise<number | null> => {
    const put = (await ARCHIVE.getByName(year === null ? profile : `${profile}/${year}`).putMessages(
      turn,
    )) as Result<PutAnswer>;
    if (!put.ok) throw new Error(put.failure.code);
    return put.value.stored ? null : put.value.year;
  };
  for (const [i, year] of [2026, 2027].entries()) {
    const messages = [
      { n: 10 * i + 1, role: "user" as const, at: at(year), text: `The word is ${word} in ${year}.` },
      { n: 10 * i + 2, role: "assistant" as const, at: at(year), text: `I keep ${word} to us.` },
      { n: 10 * i + 3, role: "tool" as const, at: at(year), text: `A file says ${word}.` },
    ];
    const turn = { session, turn: i + 1, title: `About ${word}`, endedAt: at(year), messages };
    const elsewhere = await put(turn, null);
    if (elsewhere !== null) await put(turn, elsewhere);
  }
  const tool = createSessionSearch({
    index: {
      search: (query) => ARCHIVE.getByName(profile).searchMessages(query),
      around: (...place) => ARCHIVE.getByName(profile).messagesAround(...place),
    },
    sessions: {
      recent: (limit) => account.listSessions({ limit }),
      find: (sessions) => account.findSessions(sessions),
    },
    session: toUlid(at(2028), end),
    outOfView: () => null,
    clock: systemClock,
  });
  const run = async (args: Parameters<typeof tool.run>[0]) => {
    const { parts, failed } = await tool.run(args, { op: "o", prepared: {}, signal: new AbortController().signal });
    return { failed: failed === true, text: parts.map(({ text }) => text).join("\n") };
  };
  return { profile, session, word, run };
}

describe("two profiles", () => {
  it("reach each their own sessions, and by no argument each other's", { timeout: 180_000 }, async () => {
    const [one, other] = [await createProfile("zirconium", "0NE"), await createProfile("orchid", "0THER")];
    for (const [mine, theirs] of [
      [one, other],
      [other, one],
    ] as const) {
      expect((await mine.run({ query: `the word ${mine.word}` })).text).toContain(`${mine.word} in 2027`);
      expect((await mine.run({ session: mine.session })).text).toContain(`${mine.word} in 2026`);
      expect((await mine.run({ session: mine.session, message: 11 })).text).toContain(`${mine.word} in 2027`);

      const ids = [
        theirs.session,
        ` ${theirs.session} `,
        theirs.session.toLowerCase(),
        `${theirs.profile}/${theirs.session}`,
        theirs.profile,
        `${theirs.profile}/2027`,
        `../${theirs.profile}`,
        `${mine.session}/../../${theirs.profile}/${theirs.session}`,
        `${theirs.session}-1`,
        "%",
        "*",
      ];
      const refused = await mine.run({ session: NOBODYS });
      const none = await mine.run({ session: NOBODYS, query: "word" });
      for (const session of ids) {
        expect(await mine.run({ session }), session).toEqual(refused);
        for (const message of [-1, 11, 1e9]) {
          for (const window of [undefined, 20]) {
            expect(await mine.run({ session, message, ...(window && { window }) }), session).toEqual(refused);
          }
        }
        for (const query of ["word", theirs.word, `"The word is ${theirs.word}"`]) {
          expect([none, refused], `${session} ${query}`).toContainEqual(
            await mine
              .run({ session, query })
              .then((answer) => (answer.failed ? answer : { ...answer, text: none.text })),
          );
          expect((await mine.run({ session, query })).text).not.toContain(`${theirs.word} `);
        }
      }

      const queries = [
        theirs.word,
        `"The word is ${theirs.word} in 2027"`,
        theirs.session,
        theirs.profile,
        `about ${theirs.word}`,
        "word file keep",
        "2026 2027",
      ];
      for (const query of queries) {
        for (const sort of ["relevance", "newest", "oldest"] as const) {
          for (const role of [undefined, "user", "assistant", "tool"] as const) {
            const { text } = await mine.run({ query, sort, limit: 10, ...(role && { role }) });
            expect(text, query).not.toContain(theirs.session);
            expect(text, query).not.toMatch(new RegExp(`${theirs.word} (in|to)|says ${theirs.word}`));
          }
        }
      }
      for (const limit of [undefined, 3, 10, 1e6, -1]) {
        const { text } = await mine.run({ ...(limit && { limit }) });
        expect(text).toContain(mine.session);
        expect(text).not.toContain(theirs.session);
        expect(text).not.toContain(theirs.word);
      }
      const alone = await mine.run({ message: 1 });
      expect(alone.text).toContain("bad_arguments");
    }
  });
});
