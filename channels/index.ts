// The platforms by name, each loaded when it is first needed, so that none costs the Worker's start. Called by durable-objects/channels and
// workers/api. A new platform is one line here.
import type { Platform } from "../core/channels/platform.ts";
import type { PlatformName } from "../core/schemas/channels/inbound.ts";

const LOADERS: Partial<Record<PlatformName, () => Promise<Platform>>> = {
  telegram: () => import("./telegram.ts").then(({ telegram }) => telegram),
  slack: () => import("./slack.ts").then(({ slack }) => slack),
  whatsapp: () => import("./whatsapp.ts").then(({ whatsapp }) => whatsapp),
  matrix: () => import("./matrix.ts").then(({ matrix }) => matrix),
  mattermost: () => import("./mattermost.ts").then(({ mattermost }) => mattermost),
  line: () => import("./line.ts").then(({ line }) => line),
  feishu: () => import("./feishu.ts").then(({ feishu }) => feishu),
  dingtalk: () => import("./dingtalk.ts").then(({ dingtalk }) => dingtalk),
  wecom: () => import("./wecom.ts").then(({ wecom }) => wecom),
  twilio: () => import("./twilio.ts").then(({ twilio }) => twilio),
  signal: () => import("./signal.ts").then(({ signal }) => signal),
  webhook: () => import("./webhook.ts").then(({ webhook }) => webhook),
  discord: () => import("./discord.ts").then(({ discord }) => discord),
  teams: () => import("./teams.ts").then(({ teams }) => teams),
  "google-chat": () => import("./google-chat.ts").then(({ googleChat }) => googleChat),
  email: () => import("./email.ts").then(({ email }) => email),
  github: () => import("./github.ts").then(({ github }) => github),
};

/** `null`: this version has no such platform. */
export async function loadPlatform(name: PlatformName): Promise<Platform | null> {
  return (await LOADERS[name]?.()) ?? null;
}

/** All of them, in the order of their names' list. */
export function loadPlatforms(): Promise<Platform[]> {
  return Promise.all(Object.values(LOADERS).map((load) => load()));
}
