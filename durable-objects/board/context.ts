// What the parts of a Board object share: its environment. Types.
import type { SettingsVariable } from "../../wiring/settings.ts";

export interface BoardEnv extends SettingsVariable {
  SESSION: DurableObjectNamespace;
  ACCOUNT: DurableObjectNamespace;
  AGENDA: DurableObjectNamespace;
}
