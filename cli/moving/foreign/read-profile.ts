// Reads what another program can take of the profile of the key, through the API. Changes nothing.
import type { OwnProfile, OwnSession, OwnSkill } from "../../../core/moving/foreign/own-profile.ts";
import { JobList } from "../../../core/schemas/agenda/job-api.ts";
import { MemoryList, PersonalityList, SessionDetail, SkillList } from "../../../core/schemas/api.ts";
import { fromContents } from "../../../core/schemas/file-body.ts";
import { PreferenceList } from "../../../core/schemas/profile/preferences.ts";
import type { Client } from "../../connection/client.ts";
import { orNone } from "./move.ts";

/** `program`: a personality that came from it is taken before the one that is in force. */
export async function readProfile(client: Client, program: string): Promise<OwnProfile> {
  const { items: listed } = await client.list(SkillList, "GET /v1/skills", ({ skills }) => skills);
  const skills: OwnSkill[] = [];
  for (const { name, use } of listed) {
    const detail = await orNone(client.skill(name));
    // What ships with Talaria and was never changed is of no use elsewhere.
    if (detail?.head) skills.push({ head: detail.head, use: use ?? null, files: fromContents(detail.files) });
  }
  const { items: facts } = await client.list(MemoryList, "GET /v1/memory", ({ entries }) => entries);
  const { items: jobs } = await client.list(JobList, "GET /v1/jobs", (answer) => answer.jobs);
  return {
    ...{ skills, jobs, personality: await readPersonality(client, program) },
    facts: facts.filter(({ hidden }) => !hidden).map(({ store, text }) => ({ store, text })),
  };
}

async function readPersonality(client: Client, program: string): Promise<OwnProfile["personality"]> {
  const { items } = await client.list(PersonalityList, "GET /v1/personalities", ({ personalities }) => personalities);
  const { settings } = await client.call(PreferenceList, "GET /v1/settings");
  const inForce = settings.personality?.value;
  const found = items.find(({ name, own }) => own && name === program) ?? items.find(({ name }) => name === inForce);
  return found ? { name: found.name, text: found.text } : null;
}

/** The chats, oldest first, read one by one. */
export async function* readSessions(client: Client): AsyncGenerator<OwnSession> {
  for (const { session } of (await client.listSessions()).toReversed()) {
    const detail = await orNone(client.call(SessionDetail, "GET /v1/sessions/{session}", { params: { session } }));
    if (!detail) continue; // deleted meanwhile, or still being moved in
    const { title, createdAt, from } = detail;
    yield { session, title, createdAt, from, entries: await client.entries(session) };
  }
}
