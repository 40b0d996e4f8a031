// A profile as its owner has it after weeks, made through the HTTP API and the rehearsal model alone. Used by tests in a browser, which
// may change it: each test file seeds one of its own.
import type { Owner } from "./owner.ts";
import { type Conversations, seedConversations } from "./world/conversations.ts";
import { type Lessons, seedLessons } from "./world/lessons.ts";
import { type Setup, seedSetup } from "./world/setup.ts";
import { type Work, runCurator, seedWork } from "./world/work.ts";

export interface World {
  conversations: Conversations;
  lessons: Lessons;
  setup: Setup;
  work: Work;
  /** The curator's run. */
  curation: string;
}

/** Takes about ten seconds. For less, call the parts in `world/`. */
export async function seedWorld(owner: Owner): Promise<World> {
  const setup = await seedSetup(owner);
  const conversations = await seedConversations(owner);
  const [lessons, work] = await Promise.all([seedLessons(owner), seedWork(owner)]);
  return { setup, lessons, conversations, work, curation: await runCurator(owner) };
}
