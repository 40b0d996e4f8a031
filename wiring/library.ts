// Opens the hub's source `library`: what profiles of this deployment share with this one. Whether it follows a profile is asked of that profile's
// Account each time, never of what a client says. Reads the publisher's index, heads and contents from R2, and writes nothing there.
import { type LibraryPort, createLibrarySource } from "../core/hub/sources/library.ts";
import type { HubSource } from "../core/hub/source.ts";
import { isShared, sharedLines } from "../core/library/offer.ts";
import { mapLimit, MAX_CONNECTIONS } from "../core/map-limit.ts";
import type { FileBody } from "../core/schemas/file-body.ts";
import type { ProfileId, Sha256, SkillName } from "../core/schemas/ids.ts";
import type { Library } from "../core/schemas/library/library.ts";
import type { Settings } from "../core/schemas/settings.ts";
import { withoutRequests } from "../core/schemas/skill-requests.ts";
import { askDesk } from "./ask-desk.ts";
import { openBucket, openSkillStore } from "./stores.ts";

/** What it needs of the Accounts: durable-objects/library/library-desk.ts. */
interface Desk extends PromiseLike<Disposable> {
  list(): Promise<Library>;
  give(follower: ProfileId, given: { skill: SkillName; text: Sha256 } | null): Promise<boolean>;
}

interface LibraryScope {
  env: { SKILLS: R2Bucket; ACCOUNT: DurableObjectNamespace };
  settings: Settings;
  profile: ProfileId;
}

export function openLibrarySource(scope: LibraryScope): HubSource {
  return createLibrarySource(openLibraryPort(scope));
}

export function openLibraryPort({ env, settings, profile }: LibraryScope): LibraryPort {
  const bucket = openBucket(env.SKILLS);
  const storeOf = (publisher: ProfileId) => openSkillStore({ bucket, profile: publisher, settings });

  const ask = <Answer>(of: ProfileId, question: (desk: Desk) => Promise<Answer>): Promise<Answer> => {
    const account = env.ACCOUNT.getByName(of) as unknown as { libraryDesk(): Desk };
    return askDesk(account.libraryDesk(), question);
  };

  return {
    publishers: async () => (await ask(profile, (desk) => desk.list())).following.map((row) => row.profile),

    async list(publisher) {
      if (!(await ask(publisher, (desk) => desk.give(profile, null)))) return null;
      const lines = sharedLines(await storeOf(publisher).index());
      return lines.map(([name, { description, text }]) => ({ name, description, text }));
    },

    async take(publisher, name) {
      const store = storeOf(publisher);
      const head = await store.head(name);
      if (!head || !isShared(head)) return null;
      const { text } = head;
      // First, so that counts of it can be taken as soon as it is here.
      if (!(await ask(publisher, (desk) => desk.give(profile, { skill: name, text })))) return null;
      const named = Object.entries(withoutRequests(head.files));
      const bodies = await mapLimit(
        named,
        MAX_CONNECTIONS,
        async ([path, { sha256 }]) => [path, await store.blob(sha256)] as const,
      );
      const files: Record<string, FileBody> = {};
      for (const [path, body] of bodies) {
        if (body === null) return null; // purged meanwhile
        files[path] = body;
      }
      return { text, files };
    },
  };
}
