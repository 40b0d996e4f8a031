// Wires the library of a profile: its Account's rows, the stores of its copies, and the Accounts of the profiles that it follows or that follow it.
import { messageOf } from "../../core/errors.ts";
import type { Sql } from "../../core/ports.ts";
import type { ProfileId } from "../../core/schemas/ids.ts";
import { createHubLockStore } from "../../stores/hub/lock-store.ts";
import { systemClock } from "../../stores/platform/system-clock.ts";
import { askDesk } from "../../wiring/ask-desk.ts";
import { readSettings } from "../../wiring/settings.ts";
import { openBucket, openEvidenceStore, openSkillStore } from "../../wiring/stores.ts";
import { type AccountEnv, createErasures, toFarewell } from "../account-erasure.ts";
import { type AccountLibrary, type LibraryPeer, createAccountLibrary } from "./account-library.ts";
import { createLibraryCopies } from "./library-copies.ts";

/** `makeTables`: those that every Account has; older ones lack some. */
export function openAccountLibrary(options: {
  sql: Sql;
  env: AccountEnv;
  profile: ProfileId;
  makeTables(): void;
}): AccountLibrary {
  const { sql, env, profile, makeTables } = options;
  const open = (of: ProfileId) =>
    openSkillStore({ bucket: openBucket(env.SKILLS), profile: of, settings: readSettings(env) });
  /** Made for each message: the operator's settings may be wrong when the Account wakes. */
  const copies = () => {
    const place = { bucket: openBucket(env.SKILLS), profile, settings: readSettings(env) };
    const lock = createHubLockStore({ ...place, clock: systemClock, random: Math.random });
    const [skills, evidence] = [openSkillStore(place), openEvidenceStore(place)];
    return createLibraryCopies({ ...place, clock: systemClock, lock, skills, evidence, skillsOf: open });
  };
  const erasures = () => {
    makeTables();
    return createErasures(sql);
  };
  return createAccountLibrary({
    sql,
    profile,
    clock: systemClock,
    peer: (other) => toPeer(env, other),
    index: () => open(profile).index(),
    followCopies: (publisher) => copies().followCopies(publisher),
    leaveCopies: (publisher, why) => copies().leaveCopies(publisher, why),
    countCopies: (publisher) => copies().countCopies(publisher),
    planFarewell: (to, as) => erasures().begin("library", toFarewell(as, to), systemClock.now()),
    dropFarewell: (to, as) => erasures().cancel("library", toFarewell(as, to)),
    report: (event, error) => console.error(JSON.stringify({ event, error: messageOf(error) })),
  });
}

/** The calls of LibraryDesk that Accounts make, over RPC. */
type PeerDesk = LibraryPeer & PromiseLike<Disposable>;

function toPeer(env: AccountEnv, other: ProfileId): LibraryPeer {
  const ask = <Answer>(question: (desk: PeerDesk) => Promise<Answer>): Promise<Answer> => {
    const account = env.ACCOUNT.getByName(other) as unknown as { libraryDesk(): PeerDesk };
    return askDesk(account.libraryDesk(), question);
  };
  return {
    admit: (follower, asked) => ask((desk) => desk.admit(follower, asked)),
    report: (follower, report) => ask((desk) => desk.report(follower, report)),
    hear: (publisher, news) => ask((desk) => desk.hear(publisher, news)),
  };
}
