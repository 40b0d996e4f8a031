// The operator's settings of the stack that tests in a browser share. Used by global-setup.ts.
import { PACED_MODEL } from "./paced-model.ts";

/** Where nobody answers. Webhooks, channels and MCP servers of the worlds are there, so that no test needs a network. */
export const NOWHERE = "http://127.0.0.1:47999";

export const SETTINGS = { outbound: { allow: [NOWHERE] }, models: { choices: [PACED_MODEL] } };
