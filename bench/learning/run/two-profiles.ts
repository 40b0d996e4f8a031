// Two people with opposite preferences take turns on one deployment. Nothing that one of them said may reach a model request or
// a stored object of the other. Called by job-thread.ts.
import type { ModelRequest } from "../../../core/agent/contract.ts";
import type { ProfileId } from "../../../core/schemas/ids.ts";
import type { Arm } from "../arms/arms.ts";
import { auditEffects } from "../report/audit.ts";
import { draw } from "../world/draws.ts";
import { createPlatform } from "../platform/platform.ts";
import { PREFERENCES } from "../world/preferences.ts";
import { createReviewerModel } from "../models/reviewer.ts";
import { createBenchTools, newProgress } from "../world/tools.ts";
import type { World } from "../world/tasks.ts";
import { createWorkerModel } from "../models/worker.ts";

const PEOPLE: readonly [ProfileId, ProfileId] = ["0123456789abcdefghjkmnpqrs", "srqpnmkjhgfedcba9876543210"];
const HOUR_MS = 60 * 60_000;

export interface TwoProfilesRecord {
  seed: number;
  /** Places where one person's words were found in the other's profile. */
  leaks: string[];
  /** How many of the stated preferences (`said`) were stored for the right person. */
  kept: number;
  said: number;
  lostOrDoubled: string[];
}

export async function runTwoProfiles(arm: Arm, world: World): Promise<TwoProfilesRecord> {
  const { parameters, seed } = world;
  const { sessions, topics } = parameters.twoProfiles;
  const leaks = new Set<string>();
  const listPreferences = (who: number) => PREFERENCES.slice(0, topics).map((topic) => topic[who]!);
  const find = (who: number, text: string, place: string) => {
    for (const words of listPreferences(1 - who)) if (text.includes(words)) leaks.add(`${place}: ${words}`);
  };
  const platform = createPlatform({
    settings: arm.settings,
    worker: createWorkerModel(() => world),
    reviewer: createReviewerModel({ worldOf: () => world }),
    policy: arm.policy,
    curates: arm.curates,
    onRequest(profile, request) {
      find(PEOPLE.indexOf(profile), joinAllText(request), `a request for ${profile}`);
    },
  });
  const tools = createBenchTools(() => world, parameters, world.surfaces, newProgress());
  const startMs = platform.clock.now();
  platform.scheduleCuration(Math.ceil(sessions / parameters.stream.sessionsPerDay) + 1);
  const stated = new Set<string>();
  for (let n = 1; n <= sessions; n++) {
    const who = (n + 1) % 2;
    await platform.advanceTo(startMs + n * 6 * HOUR_MS);
    const task = world.tasks[(n - 1) % world.tasks.length]!;
    const topic = Math.floor(draw(seed, n, "topic") * topics);
    const words = listPreferences(who)[topic]!;
    stated.add(`${who} ${words}`);
    const session = await platform.openSession(PEOPLE[who]!, `01K${String(n).padStart(23, "0")}`, { tools });
    await session.say(`${words} ${task.request}`);
    await platform.advanceTo(platform.clock.now() + HOUR_MS);
    session.close();
  }
  await platform.advanceTo(platform.clock.now() + 24 * HOUR_MS);
  let kept = 0;
  const lostOrDoubled: string[] = [];
  for (const [who, profile] of PEOPLE.entries()) {
    const stores = platform.openStores(profile);
    const facts = [...(await stores.memory.list("user")), ...(await stores.memory.list("memory"))].map(
      ({ text }) => text,
    );
    kept += listPreferences(who).filter((words) => facts.includes(words)).length;
    find(who, facts.join("\n"), `the memory of ${profile}`);
    for (const key of platform.bucket.keys(`p/${profile}/`)) {
      find(who, (await (await platform.bucket.get(key))?.text()) ?? "", key);
    }
    lostOrDoubled.push(...(await auditEffects(platform, stores, profile)));
  }
  return { seed, leaks: [...leaks], kept, said: stated.size, lostOrDoubled };
}

function joinAllText({ system, messages }: ModelRequest): string {
  return [system, ...messages.map(({ text }) => text)].join("\n");
}
