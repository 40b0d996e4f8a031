// What a profile's owner has set for its agent. The Account keeps it by section and key, with a revision that rises at every
// change; a Session keeps the newest copy it was told of. Secrets inside are sealed. Forms only.
import * as z from "zod";
import { ShownGoals } from "../agenda/goal.ts";
import { HubAccess, HubTap } from "../hub/taps.ts";
import { McpCatalog, McpAccess, McpServer } from "./mcp.ts";
import { Personality } from "./personality.ts";
import { StoredPreference } from "./preferences.ts";
import { ToolPolicy } from "./policies.ts";
import { HookSetting } from "./hooks.ts";
import { Quota } from "./quota.ts";
import { SkillSettings } from "./skills.ts";
import { ToolSettings } from "./tools.ts";
import { StoredTrajectoryConsent } from "../trajectories.ts";

/** The form of one value of each section. A section is a map; what its keys are is said at its row. */
export const PROFILE_SECTIONS = {
  /** Key `all`. */
  tools: ToolSettings,
  /** Key `all`. */
  skills: SkillSettings,
  /** By the name that a person chooses it by. */
  personalities: Personality,
  /** By the server's name. */
  mcp: McpServer,
  /** By the server's name: what it offered when it was last asked. */
  mcpCatalogs: McpCatalog,
  /** By the server's name: a permission by OAuth. */
  mcpAccess: McpAccess,
  /** By the tap's name: a repository or index whose skills its searches also name. */
  hubTaps: HubTap,
  /** Key `github`: the token that reads and publishes at GitHub. */
  hubAccess: HubAccess,
  /** By id. */
  policies: ToolPolicy,
  /** By the hook's id. */
  hooks: HookSetting,
  /** By the setting's name: what the person has changed of the operator's. */
  preferences: StoredPreference,
  /** By the board's name: a board that the profile has, so that its sessions know without asking. The Agenda writes it. */
  boards: z.strictObject({ createdAt: z.int() }),
  /** Key `operator`: what the operator allows this profile. The profile's owner cannot change it. */
  quota: Quota,
  /** Key `all`: the goals that the prompts of its sessions name. Written by the profile's Agenda. */
  goals: ShownGoals,
  /** Key `consent`: whether its conversations may leave as data to train on. */
  trajectories: StoredTrajectoryConsent,
} as const;

export type ProfileSection = keyof typeof PROFILE_SECTIONS;
const PROFILE_SECTION_NAMES = Object.keys(PROFILE_SECTIONS) as ProfileSection[];

export type ProfileSetting<Section extends ProfileSection> = z.infer<(typeof PROFILE_SECTIONS)[Section]>;

export type ProfileSections = { [Section in ProfileSection]: Record<string, ProfileSetting<Section>> };

/** `rev`: 0 if nothing was ever set. */
export interface ProfileSettings {
  rev: number;
  sections: ProfileSections;
}

export function noProfileSettings(): ProfileSettings {
  const sections = Object.fromEntries(PROFILE_SECTION_NAMES.map((name) => [name, {}]));
  return { rev: 0, sections: sections as ProfileSections };
}
