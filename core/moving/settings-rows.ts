// What a profile's owner has set, on its way out: without secrets and sealed values, which only this deployment can read. A webhook and
// an MCP server arrive switched off, until a person enters their secret again. Called by the Account. Pure.
import type { MovedRow } from "../schemas/moving/lines.ts";
import type { ProfileSection, ProfileSetting } from "../schemas/profile/settings.ts";

/** Each section by name, so that a new one is decided here. `null`: it does not travel. */
const LEAVE: { [Section in ProfileSection]: ((value: ProfileSetting<Section>, at: number) => unknown) | null } = {
  tools: (value) => value,
  skills: (value) => value,
  personalities: (value) => value,
  policies: (value) => value,
  mcp: (value) => ({ ...value, sealed: "", enabled: false }),
  mcpCatalogs: (value) => value,
  mcpAccess: null,
  hubTaps: (value) => value,
  // Bound to the server that this deployment uses, and sealed here.
  hubAccess: null,
  preferences: (value) => value,
  // As the boards themselves.
  boards: null,
  // Of this deployment.
  quota: null,
  // Its sessions work at them here.
  goals: null,
  // The person who imports the profile is asked again.
  trajectories: null,
  hooks: (value, at) => ({ ...value, secret: "", previous: undefined, disabledAt: value.disabledAt ?? at }),
};

/** `null`: the row stays. `at`: the time, in milliseconds since 1970. */
export function leaveSetting(row: MovedRow, at: number): MovedRow | null {
  const section = String(row.section);
  if (section === "") return row; // the revision
  const leave = Object.hasOwn(LEAVE, section) ? LEAVE[section as ProfileSection] : null;
  if (!leave) return null;
  const value = JSON.parse(String(row.value)) as never;
  return { ...row, value: JSON.stringify((leave as (value: never, at: number) => unknown)(value, at)) };
}
