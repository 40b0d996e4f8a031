// The session's copy of what the profile's owner has set for its agent. A message says which revision its sender knows; a session
// with an older copy reads the settings again before the turn's tools are made. Meta key `profile`.
import { applyPreferences, readPreferences } from "../../preferences.ts";
import { applyQuota } from "../../quota.ts";
import { QUOTA_KEY } from "../../schemas/profile/quota.ts";
import type { Preferences } from "../../schemas/profile/preferences.ts";
import { type ProfileSettings, noProfileSettings } from "../../schemas/profile/settings.ts";
import type { Settings } from "../../schemas/settings.ts";
import type { EngineContext } from "../context.ts";
import type { TurnRow } from "../log-turns.ts";

interface StoredSettings extends ProfileSettings {
  v: 1;
  /** The session itself has changed the settings since: read them again before the next turn, whatever its message says. */
  outdated?: true;
}

const NOTHING_SET = noProfileSettings();

/** Treat as read-only. */
export function profileSettings({ log }: Pick<EngineContext, "log">): ProfileSettings {
  const stored = log.meta<StoredSettings>("profile");
  // A copy from before a section existed lacks it.
  return stored ? { rev: stored.rev, sections: { ...NOTHING_SET.sections, ...stored.sections } } : NOTHING_SET;
}

const NO_PREFERENCES: Preferences = {};

/** What the person has changed of the operator's settings, and the settings that are in force. Worked out once for each copy. */
export function openPreferences(operator: Settings, log: EngineContext["log"], session: { readonly known: boolean }) {
  let last = { of: null as StoredSettings | null, preferences: NO_PREFERENCES, settings: operator };
  function current(): typeof last {
    const stored = session.known ? log.meta<StoredSettings>("profile") : null;
    if (stored === last.of) return last;
    const sections = stored && profileSettings({ log }).sections;
    const preferences = sections ? readPreferences(sections.preferences) : NO_PREFERENCES;
    const allowed = applyQuota(operator, sections?.quota[QUOTA_KEY]);
    last = { of: stored, preferences, settings: applyPreferences(allowed, preferences) };
    return last;
  }
  return { settings: () => current().settings, preferences: () => current().preferences };
}

/** Whether the turn's sender knows newer settings than the session, or the session itself has changed them. */
export function areSettingsOld(
  { host, log }: EngineContext,
  turn: { more: Pick<TurnRow["more"], "settingsRev"> },
): boolean {
  if (!host.readProfileSettings) return false;
  const isOutdated = log.meta<StoredSettings>("profile")?.outdated === true;
  return isOutdated || (turn.more.settingsRev ?? 0) > profileSettings({ log }).rev;
}

/** Throws if the Account cannot be reached, so that no turn runs under rules that its owner has replaced. */
export async function renewProfileSettings({ host, log }: EngineContext): Promise<void> {
  const stored: StoredSettings = { v: 1, ...(await host.readProfileSettings!()) };
  log.setMeta("profile", stored);
}

/** Reads the settings now, whatever revision is known. */
export async function readProfileSettingsAgain({ host, log }: Pick<EngineContext, "host" | "log">): Promise<void> {
  if (!host.readProfileSettings) return;
  const read = await host.readProfileSettings();
  if (read.rev > profileSettings({ log }).rev) log.setMeta("profile", { v: 1, ...read } satisfies StoredSettings);
}

/** Call after the session has changed the profile's settings. The running turn keeps its copy. */
export function markProfileSettingsOutdated({ log }: Pick<EngineContext, "log">): void {
  const stored = log.meta<StoredSettings>("profile");
  if (stored && !stored.outdated) log.setMeta("profile", { ...stored, outdated: true });
}
