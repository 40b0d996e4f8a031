// The api Worker: HTTP in front of Durable Objects. Registers the resources and makes no decisions.
import { bodyLimit } from "hono/body-limit";
import { MAX_ATTACHMENT_BYTES } from "../../core/board/attach.ts";
import type { MiddlewareHandler } from "hono";
import { FIXED } from "../../core/limits.ts";
import { MAX_PARTS, MAX_PART_BYTES } from "../../core/schemas/moving/manifest.ts";
import { IMPORT } from "../../core/skills/exchange/import-limits.ts";
import { boards } from "./boards/boards.ts";
import { cardActions } from "./boards/card-actions.ts";
import { cardAttachments } from "./boards/card-attachments.ts";
import { cardLog } from "./boards/card-log.ts";
import { cards } from "./boards/cards.ts";
import { roles } from "./boards/roles.ts";
import { jobs } from "./jobs/jobs.ts";
import { schedule } from "./jobs/schedule.ts";
import { blueprints } from "./blueprints/blueprints.ts";
import { suggestions } from "./blueprints/suggestions.ts";
import { goals } from "./goals/goals.ts";
import { quota } from "./profiles/quota.ts";
import { audit } from "./profiles/audit.ts";
import { approvalPolicy } from "./profiles/approval-policy.ts";
import { MAX_ZIP_BYTES } from "../../core/workspace/exchange/zip-limits.ts";
import { approvals } from "./sessions/approvals.ts";
import { checkpoints } from "./sessions/checkpoints.ts";
import { allowOrigins } from "./auth/browsers/cors.ts";
import { authenticate } from "./auth/authenticate.ts";
import { curator } from "./learning/curator.ts";
import { parseEnvSettings } from "./env.ts";
import { IMPORT_ROUTE, PREVIEW_ROUTE, exchange } from "./skills/exchange.ts";
import { TRY_ROUTE, experiments } from "./experiments/experiments.ts";
import { exportProfile } from "./moving/export.ts";
import { importProfile } from "./moving/import.ts";
import { files } from "./sessions/files.ts";
import { trajectories } from "./trajectories/trajectories.ts";
import { health } from "./health.ts";
import { channels } from "./channels/channels.ts";
import { receiveEmail } from "./channels/email.ts";
import { channelPeople } from "./channels/people.ts";
import { deliveries } from "./channels/deliveries.ts";
import { inboundChannels } from "./channels/inbound.ts";
import { library } from "./library/library.ts";
import { offered } from "./library/offered.ts";
import { hooks } from "./profiles/hooks.ts";
import { hub } from "./hub/hub.ts";
import { hubSkills } from "./hub/hub-skills.ts";
import { images } from "./sessions/images.ts";
import { keys } from "./profiles/keys.ts";
import { journey } from "./learning/journey.ts";
import { learning } from "./learning/learning.ts";
import { memory } from "./learning/memory.ts";
import { MCP_ROUTE, mcp } from "./mcp/mcp.ts";
import { mcpCallback } from "./mcp-servers/callback.ts";
import { hubPublish } from "./hub/publish.ts";
import { taps } from "./hub/taps.ts";
import { mcpServers } from "./mcp-servers/servers.ts";
import { messages } from "./sessions/messages.ts";
import { docsPage } from "./openapi/docs-page.ts";
import { page } from "./page/page.ts";
import { toDocument } from "./openapi/document.ts";
import { doctor } from "./doctor/doctor.ts";
import { AppError, answerError, answerProblem } from "./problems.ts";
import { pending } from "./learning/pending.ts";
import { profiles } from "./profiles/profiles.ts";
import { reviews } from "./learning/reviews.ts";
import type { ApiEnv } from "./auth/principal.ts";
import { createRouter, refuseQuery } from "./router.ts";
import { runs } from "./runs/runs.ts";
import { anthropicMessages } from "./doors/anthropic/messages.ts";
import { chatCompletions } from "./doors/chat-completions/chat-completions.ts";
import { models } from "./doors/models.ts";
import { responses } from "./doors/responses/responses.ts";
import { shapeProblem } from "./doors/shape-problem.ts";
import { search } from "./sessions/search.ts";
import { settings } from "./profiles/settings.ts";
import { signIns } from "./profiles/sign-ins.ts";
import { skillSettings } from "./profiles/skill-settings.ts";
import { personalities } from "./profiles/personalities.ts";
import { branch } from "./sessions/branch.ts";
import { transcripts } from "./sessions/transcripts.ts";
import { sessionChoices } from "./sessions/choices.ts";
import { sessions } from "./sessions/sessions.ts";
import { skillEvidence } from "./skills/skill-evidence.ts";
import { skillHistory } from "./skills/skill-history.ts";
import { skills } from "./skills/skills.ts";
import { turns } from "./sessions/turns.ts";
import { usage } from "./profiles/usage.ts";
import { socket } from "./sessions/socket.ts";
import { policies } from "./tools/policies.ts";
import { tools } from "./tools/tools.ts";
import { training } from "./training/training.ts";
import { wellKnown } from "./skills/well-known.ts";
import { inboundWebhooks } from "./webhooks/inbound.ts";
import { webhooks } from "./webhooks/webhooks.ts";
import { workspace } from "./sessions/workspace.ts";

export { Account } from "../../durable-objects/account.ts";
export { Archive } from "../../durable-objects/archive.ts";
export { DiscordSocket } from "../../durable-objects/channels/discord-socket.ts";
export { Channels } from "../../durable-objects/channels/channels.ts";
export { Webhooks } from "../../durable-objects/webhooks/webhooks.ts";
export { Agenda } from "../../durable-objects/agenda/agenda.ts";
export { Board } from "../../durable-objects/board/board.ts";
export { Experiments } from "../../durable-objects/experiments/experiments.ts";
export { Replay } from "../../durable-objects/replay/replay.ts";
export { Session } from "../../durable-objects/session/session.ts";

const WORKSPACE_PATH = /^\/v1\/sessions\/[^/]+\/workspace$/;
const ATTACHMENT_PATH = /^\/v1\/boards\/[^/]+\/cards\/[^/]+\/attachments\//;
const FILES_PATH = /^\/v1\/sessions\/[^/]+\/files\//;

/** The manifest of a profile, or the receipts that it is made of: at most 1,200 bytes a part. */
const MANIFEST_PATH = /^\/v1\/(?:import|export\/[^/]+\/manifest)$/;
const MAX_MANIFEST_BYTES = MAX_PARTS * 1_200;
/** Routes that take messages with images as data URLs. */
const MESSAGES_PATH =
  /^\/v1\/(?:sessions\/[^/]+\/messages|runs(?:\/[^/]+\/steer)?|responses|messages(?:\/count_tokens)?|chat\/completions)$/;

/** Routes that take a whole skill. */
const SKILL_ROUTES = new Set([IMPORT_ROUTE, PREVIEW_ROUTE, TRY_ROUTE]);

/** The MCP server refuses a large body itself, as JSON-RPC. */
const limitBody: MiddlewareHandler<ApiEnv> = (c, next) => {
  if (c.req.path === MCP_ROUTE) return next();
  const { turn, webhooks: hooked } = parseEnvSettings(c.env);
  const isFile = FILES_PATH.test(c.req.path);
  const tooLarge = ATTACHMENT_PATH.test(c.req.path) ? "attachment_too_large" : "body_too_large";
  const ofOperator = isFile ? turn.maxFileBytes : c.req.path.startsWith("/hooks/") ? hooked.maxBytes : null;
  const maxSize = ofOperator ?? maxBodyBytes(c.req.path);
  const refuse = () => {
    throw new AppError(
      isFile ? "file_too_large" : tooLarge,
      `The body is larger than ${maxSize} bytes, the limit of this route. Send a smaller one.`,
    );
  };
  return bodyLimit({ maxSize, onError: refuse })(c, next);
};

function maxBodyBytes(path: string): number {
  if (path.startsWith("/v1/import/parts/")) return MAX_PART_BYTES;
  if (MANIFEST_PATH.test(path)) return MAX_MANIFEST_BYTES;
  if (WORKSPACE_PATH.test(path)) return MAX_ZIP_BYTES;
  if (ATTACHMENT_PATH.test(path)) return MAX_ATTACHMENT_BYTES;
  if (MESSAGES_PATH.test(path)) return FIXED.messageBytes;
  return SKILL_ROUTES.has(path) ? IMPORT.requestBytes : FIXED.requestBytes;
}

/** What Cloudflare lets through, so that a local server judges alike. In bytes: an address is ASCII. */
const MAX_URL_BYTES = 16_384;

const limitUrl: MiddlewareHandler<ApiEnv> = async (c, next) => {
  if (c.req.url.length <= MAX_URL_BYTES) return next();
  throw new AppError("url_too_long", `The address has more than ${MAX_URL_BYTES} bytes. Send a shorter one.`);
};

/** How long a refusal waits for the rest of a body. */
const MAX_DRAIN_MS = 2_000;

/** Reads the rest of a refused body: a server that closes the connection with unread data may lose its response. */
const drainBody: MiddlewareHandler<ApiEnv> = async (c, next) => {
  await next();
  const { body, bodyUsed } = c.req.raw;
  if (!body || bodyUsed || body.locked) return;
  const reader = body.getReader();
  const giveUp = () => void reader.cancel().catch(() => {}); // the client has left
  const timer = setTimeout(giveUp, MAX_DRAIN_MS);
  try {
    for (let left = IMPORT.requestBytes; left > 0;) {
      const { done, value } = await reader.read();
      if (done) return;
      left -= value.byteLength;
    }
    await reader.cancel();
  } catch {
    // the client has left
  } finally {
    clearTimeout(timer);
  }
};

const app = createRouter();
app.onError((error, c) => shapeProblem(answerError(error, c), c));
app.notFound((c) => {
  const detail = `There is no route ${c.req.method} ${c.req.path}. The routes are in docs/API.md.`;
  return shapeProblem(answerProblem(new AppError("route_not_found", detail), c), c);
});
app.use(drainBody);
app.use(limitUrl);
app.use(allowOrigins);
app.use(authenticate);
app.use(limitBody);
for (const resource of [
  health,
  profiles,
  keys,
  audit,
  quota,
  sessions,
  sessionChoices,
  models,
  chatCompletions,
  branch,
  transcripts,
  personalities,
  skillSettings,
  settings,
  signIns,
  messages,
  search,
  turns,
  responses,
  anthropicMessages,
  runs,
  socket,
  files,
  images,
  checkpoints,
  workspace,
  approvals,
  approvalPolicy,
  mcpServers,
  policies,
  tools,
  mcpCallback,
  pending,
  skills,
  exchange,
  wellKnown,
  taps,
  hubPublish,
  hub,
  hubSkills,
  skillHistory,
  skillEvidence,
  experiments,
  memory,
  reviews,
  learning,
  journey,
  curator,
  usage,
  doctor,
  mcp,
  hooks,
  channels,
  channelPeople,
  deliveries,
  inboundChannels,
  webhooks,
  inboundWebhooks,
  boards,
  cards,
  cardActions,
  cardLog,
  cardAttachments,
  roles,
  jobs,
  schedule,
  blueprints,
  suggestions,
  goals,
  library,
  offered,
  exportProfile,
  trajectories,
  importProfile,
  training,
]) {
  app.route("/", resource);
}
app.route("/", docsPage);
app.route("/", page);
for (const scheme of ["key", "operator"]) {
  app.openAPIRegistry.registerComponent("securitySchemes", scheme, { type: "http", scheme: "bearer" });
}
app.get("/openapi.json", refuseQuery, (c) => c.json(toDocument(app)));

export default Object.assign(app, { email: receiveEmail });
