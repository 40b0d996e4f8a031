// Every refusal of the API with its code, status and title, and the one place where an error becomes a response (RFC 9457).
// Handlers throw AppError. An unknown error answers 500 with an id, never with a message or a stack.
import type { Context } from "hono";
import { HTTPException } from "hono/http-exception";
import { ulid } from "ulid";
import { DeletedError, type Result, newerStateOf } from "../../core/errors.ts";
import { writeSignInCookie } from "./auth/browsers/cookie-text.ts";
import type { Problem } from "../../core/schemas/api.ts";

export const PROBLEMS = {
  // authentication
  key_missing: [401, "No key"],
  key_unknown: [401, "Unknown key"],
  key_expired: [401, "The key has expired"],
  scope_missing: [403, "The key may not do this"],
  scope_exceeded: [403, "More than your own key may do"],
  sign_in_unknown: [401, "Unknown sign-in"],
  sign_in_code_unknown: [401, "The sign-in link is not valid"],
  csrf_refused: [403, "CSRF token needed"],
  access_token_invalid: [401, "Access token not valid"],
  access_not_mapped: [403, "No profile for this person"],
  access_unavailable: [503, "Access tokens cannot be checked"],
  origin_refused: [403, "Origin not allowed"],
  operator_required: [403, "Operator only"],
  operator_token_unknown: [401, "Unknown operator token"],
  operator_token_missing: [503, "No operator token is configured"],
  // the request
  json_malformed: [400, "Malformed JSON"],
  body_missing: [400, "Missing body"],
  body_invalid: [400, "Invalid body"],
  field_unknown: [400, "Unknown field"],
  body_too_large: [413, "Body too large"],
  message_too_long: [413, "Message too long"],
  image_type_refused: [415, "Not an accepted image"],
  image_too_large: [413, "Image too large"],
  too_many_images: [422, "Too many images"],
  images_full: [507, "The session's images are full"],
  image_not_found: [404, "No such image"],
  bad_image_id: [400, "Invalid image id"],
  content_type_unsupported: [415, "Unsupported content type"],
  upgrade_required: [426, "WebSocket upgrade required"],
  url_too_long: [414, "Address too long"],
  query_invalid: [400, "Invalid query"],
  bad_idempotency_key: [400, "Invalid idempotency key"],
  bad_event_id: [400, "Invalid event id"],
  bad_profile_id: [400, "Invalid profile id"],
  bad_sign_in_id: [400, "Invalid id of a sign-in"],
  bad_key_id: [400, "Invalid key id"],
  bad_session_id: [400, "Invalid session id"],
  bad_goal_id: [400, "Invalid goal id"],
  bad_turn: [400, "Invalid turn number"],
  bad_skill_name: [400, "Invalid skill name"],
  bad_revision: [400, "Invalid revision"],
  bad_experiment_id: [400, "Invalid id of an experiment"],
  bad_replay_id: [400, "Invalid id of a replay"],
  bad_memory_store: [400, "Invalid memory store"],
  bad_memory_id: [400, "Invalid memory id"],
  bad_review_id: [400, "Invalid review id"],
  bad_run_id: [400, "Invalid run id"],
  bad_approval_id: [400, "Invalid approval id"],
  bad_checkpoint: [400, "Invalid checkpoint number"],
  bad_mcp_server: [400, "Invalid name of an MCP server"],
  bad_tap: [400, "Invalid name of a tap"],
  bad_hook_id: [400, "Invalid hook id"],
  bad_invitation_id: [400, "Invalid id of an invitation"],
  bad_platform: [400, "No such platform"],
  bad_pending_id: [400, "Invalid pending change id"],
  bad_policy_id: [400, "Invalid policy id"],
  bad_path: [400, "Invalid path"],
  bad_skill_md: [422, "Invalid SKILL.md"],
  bad_expiry: [422, "Invalid time of expiry"],
  bad_text: [422, "Text that cannot be stored"],
  empty_content: [422, "Empty fact"],
  several_facts: [422, "Several facts in one"],
  too_long: [422, "Fact too long"],
  too_large: [413, "Skill file too large"],
  too_many_files: [422, "Too many files"],
  bad_archive: [422, "Invalid archive"],
  archive_too_large: [413, "The archive is too large"],
  unknown_model: [422, "Not a model to choose"],
  unknown_personality: [422, "No such personality"],
  bad_job: [400, "Invalid name of a job"],
  bad_card_id: [400, "Invalid card id"],
  bad_attachment: [400, "Invalid name of an attachment"],
  bad_role: [400, "Invalid name of a role"],
  bad_board: [400, "Invalid name of a board"],
  bad_personality: [400, "Invalid name of a personality"],
  personality_refused: [422, "The personality was refused"],
  // missing or deleted
  route_not_found: [404, "No such route"],
  profile_not_found: [404, "No such profile"],
  profile_gone: [410, "The profile was deleted"],
  revision_purged: [410, "The revision was purged"],
  key_not_found: [404, "No such key"],
  sign_in_not_found: [404, "No such sign-in"],
  session_not_found: [404, "No such session"],
  backend_unavailable: [409, "No exec host for this profile"],
  turn_not_found: [404, "No such turn"],
  file_not_found: [404, "No such file"],
  skill_not_found: [404, "No such skill"],
  revision_not_found: [404, "No such revision"],
  experiment_not_found: [404, "No such experiment"],
  replay_not_found: [404, "No such run"],
  replay_erased: [410, "The run was erased"],
  replay_not_granted: [409, "No tokens for experiments"],
  too_many_experiments: [429, "Too many experiments"],
  skill_dangerous: [422, "Dangerous"],
  not_published: [404, "Not published"],
  memory_not_found: [404, "No such memory entry"],
  review_not_found: [404, "No such review"],
  response_not_found: [404, "No such response"],
  previous_not_found: [400, "No such previous response"],
  goal_not_found: [404, "No such goal"],
  goal_open: [409, "The session has a goal"],
  goal_ended: [409, "The goal has ended"],
  goal_state: [409, "Not in this state of the goal"],
  goal_not_here: [422, "This session cannot work at a goal"],
  too_many_goals: [409, "Too many goals"],
  run_not_found: [404, "No such run"],
  run_pending: [404, "No report yet"],
  pending_not_found: [404, "No such pending change"],
  approval_not_found: [404, "No such approval"],
  allowance_not_found: [404, "No such allowance"],
  tool_unknown: [400, "No such tool"],
  setting_not_found: [404, "No such setting"],
  mcp_server_not_found: [404, "No such MCP server"],
  mcp_oauth_unknown: [404, "No such authorization"],
  mcp_oauth_failed: [422, "The authorization did not work"],
  mcp_not_supported: [422, "Not possible for this MCP server"],
  url_refused: [422, "The address is refused"],
  tap_not_found: [404, "No such tap"],
  tap_not_github: [422, "Not a repository on GitHub"],
  publish_secret: [422, "Secrets in what would be published"],
  bad_hub_ref: [422, "Not the name of a skill at a source"],
  hub_not_found: [404, "Not at the source"],
  hub_rate_limited: [429, "The source allows no more requests"],
  hub_unreachable: [502, "The source does not answer"],
  hub_bad_reply: [502, "The source's answer cannot be used"],
  hub_too_large: [502, "The source's answer is too large"],
  hub_token_missing: [409, "No token for GitHub"],
  hub_forbidden: [403, "The source refuses access"],
  hub_refused: [422, "GitHub refuses the request"],
  hub_fork_pending: [503, "The fork is being made"],
  hub_source_off: [501, "The source is not read here"],
  hub_not_installed: [404, "Not installed from the hub"],
  hub_choose: [409, "The source has several skills"],
  hub_digest_mismatch: [502, "Not what the source announced"],
  hub_link_refused: [422, "A link in the package"],
  hub_malicious: [422, "Malicious, as the source says"],
  hub_dangerous: [422, "Dangerous"],
  hub_ask: [409, "To be looked at first"],
  hub_not_inspected: [409, "Not kept, or no longer"],
  hub_conflict: [409, "Changed here in the same places"],
  setting_too_large: [413, "The setting is too large"],
  setting_too_wide: [422, "More than the operator allows"],
  archive_invalid: [422, "Not an archive of a profile"],
  archive_foreign: [422, "The archive names another profile inside"],
  archive_forged: [422, "The archive's signature is wrong"],
  archive_version: [422, "An archive of another version"],
  part_damaged: [422, "A part of the archive is damaged"],
  part_unknown: [404, "No such part of the archive"],
  bad_export_id: [400, "Invalid export id"],
  bad_part_id: [400, "Invalid part id"],
  import_not_found: [404, "No such import"],
  import_incomplete: [409, "Parts of the archive are missing"],
  import_running: [409, "Another import is under way"],
  trajectories_not_allowed: [403, "The profile did not agree that its conversations are used to train models"],
  export_incomplete: [409, "Parts of the export are missing"],
  profile_not_empty: [409, "The profile is not empty"],
  session_changing: [409, "The session was used while it was read"],
  sealing_key_missing: [503, "Secrets cannot be stored"],
  hook_not_found: [404, "No such hook"],
  invitation_not_found: [404, "No such invitation"],
  invitation_unknown: [403, "The invitation is not valid"],
  follower_not_found: [404, "No such follower"],
  not_followed: [404, "Not followed"],
  own_library: [409, "The profile's own library"],
  role_not_found: [404, "No such role"],
  card_not_found: [404, "No such card"],
  attachment_not_found: [404, "No such attachment"],
  board_not_found: [404, "No such board"],
  blueprint_not_found: [404, "No such blueprint"],
  bad_blueprint: [400, "Invalid name of a blueprint"],
  slots_invalid: [422, "The slots do not fit the blueprint"],
  suggestion_not_found: [404, "No such suggestion"],
  bad_suggestion: [400, "Invalid id of a suggestion"],
  bad_training_job: [400, "Invalid id of a training job"],
  training_job_not_found: [404, "No such training job"],
  training_unavailable: [409, "No training service"],
  training_unreachable: [503, "The training service cannot be reached"],
  training_service_locked: [502, "The training service refuses the token"],
  training_garbled: [502, "An answer of the training service cannot be read"],
  training_refused: [422, "The training service refused"],
  training_lost: [409, "The training service does not know the job"],
  training_contradicted: [409, "The results are of something else"],
  training_field_locked: [422, "A locked field"],
  training_state: [409, "Not possible in the state of the training job"],
  training_data_missing: [409, "The dataset is not whole"],
  training_data_too_large: [409, "The dataset is too large"],
  too_many_training_jobs: [409, "Too many training jobs"],
  job_not_found: [404, "No such job"],
  job_exists: [409, "There is such a job"],
  job_running: [409, "The job is running"],
  too_many_jobs: [409, "Too many jobs"],
  context_unknown: [422, "No such job to take context from"],
  gate_needs_times: [422, "The gate would never open"],
  schedule_past: [422, "The schedule has no time left"],
  schedule_too_often: [422, "The schedule runs too often"],
  schedule_unreadable: [422, "The schedule cannot be read"],
  time_zone_unknown: [422, "No such time zone"],
  webhook_not_found: [404, "No such webhook"],
  webhook_exists: [409, "There is such a webhook"],
  webhook_invalid: [422, "Not a usable webhook"],
  webhook_refused: [401, "Not accepted"],
  webhook_limited: [429, "Too many requests of this webhook"],
  bad_transition: [409, "Not possible in the card's status"],
  parents_open: [409, "Cards before it are not done"],
  card_running: [409, "The card is worked on"],
  claim_lost: [409, "The run has lost its card"],
  not_your_card: [403, "Another run's card"],
  person_only: [403, "Only a person may do this"],
  not_in_review: [409, "The card is not in review"],
  no_open_parent: [409, "The card waits for no other card"],
  card_changed: [409, "The card was changed meanwhile"],
  plan_failed: [503, "No model could be asked"],
  plan_unreadable: [502, "The model's plan cannot be used"],
  profile_budget_spent: [429, "The profile's budget is spent"],
  link_cycle: [409, "The cards would wait for each other"],
  unknown_cards: [422, "Named cards do not exist"],
  op_reused: [409, "Idempotency key already used for something else"],
  attachment_too_large: [413, "The attachment is too large"],
  attachment_unreachable: [502, "The address gave no file"],
  too_many_attachments: [409, "Too many attachments"],
  too_many_cards: [409, "Too many cards"],
  too_many_links: [409, "Too many links"],
  too_many_comments: [409, "Too many comments"],
  too_many_roles: [409, "Too many roles"],
  too_many_boards: [409, "Too many boards"],
  too_many_webhooks: [409, "Too many webhooks"],
  bad_webhook_name: [400, "Invalid name of a webhook"],
  channel_not_found: [404, "No such channel"],
  channel_refused: [401, "Not accepted"],
  pairing_code_wrong: [404, "No request with this code"],
  pairing_not_found: [404, "No such request"],
  pairing_locked: [429, "Too many wrong codes"],
  person_not_found: [404, "No such person"],
  too_many_people: [409, "Too many approved people"],
  chat_not_found: [404, "No such chat"],
  platform_unavailable: [501, "Not in this version"],
  secret_unreadable: [503, "A stored secret cannot be read"],
  checkpoint_not_found: [404, "No such checkpoint"],
  // conflicts and limits
  memory_refused: [422, "The fact was refused"],
  memory_purged: [409, "The fact was purged"],
  approval_needed: [403, "Only the person may change this file"],
  revision_current: [409, "The current revision cannot be purged"],
  undo_conflict: [409, "Later changes conflict"],
  nothing_to_undo: [409, "There is nothing to undo"],
  skill_deleted: [409, "The skill was deleted"],
  skill_bundled: [409, "A bundled skill cannot be deleted"],
  confirmation_needed: [400, "Confirmation needed"],
  state_newer: [503, "Written by a newer version"],
  doctor_busy: [429, "A check-up is running"],
  too_many_runs: [429, "Too many curation requests"],
  not_adoptable: [409, "Not a skill made by a person"],
  too_many_open_runs: [429, "Too many runs at the same time"],
  run_not_started: [409, "The run has not begun"],
  run_not_waiting: [409, "The run waits for nobody"],
  turn_not_running: [409, "The turn does not run"],
  learning_differs: [409, "Learning differs from the session's"],
  model_not_found: [404, "No such model"],
  parameter_unsupported: [400, "Parameter not supported"],
  call_unknown: [400, "No such call"],
  call_missing: [400, "Not all calls have a result"],
  call_answered: [409, "The calls were answered before"],
  call_over: [409, "The calls are no longer waited for"],
  results_too_long: [413, "The results are too long"],
  tool_collides: [400, "The name of a tool is taken"],
  session_busy: [409, "A turn is running"],
  idempotency_conflict: [409, "Idempotency key already used for another request"],
  too_many_keys: [409, "Too many keys"],
  last_key: [409, "Last admin key of the profile"],
  skill_exists: [409, "The skill already exists"],
  companion_name: [409, "The name of a skill's companion"],
  skill_changed: [409, "The skill has changed"],
  skill_pinned: [409, "The skill is pinned"],
  skill_withdrawn: [409, "The text was withdrawn here"],
  too_many_installed: [409, "Too many skills of the hub"],
  hub_lock_full: [409, "Too many files of the hub"],
  skill_archived: [409, "The skill is archived"],
  too_many_public: [409, "Too many public skills"],
  pending_decided: [409, "Already decided differently"],
  pending_stale: [409, "The target has changed"],
  answer_invalid: [422, "Not an answer to this question"],
  approval_too_wide: [422, "This call can only be allowed once"],
  too_many_allowances: [409, "Too many standing allowances"],
  too_many_hooks: [409, "Too many hooks"],
  too_many_followers: [409, "Too many followers"],
  too_many_followed: [409, "Too many followed profiles"],
  too_many_settings: [409, "Too many settings of this kind"],
  approval_decided: [409, "Already decided differently"],
  approval_replaced: [409, "The agent now requests different content"],
  turn_not_ended: [409, "The turn has not ended"],
  files_not_kept: [409, "The files of that time are no longer kept"],
  branch_outdated: [409, "The files changed meanwhile"],
  turn_undone: [409, "The turn was taken back"],
  turn_inherited: [409, "The turn was copied from another session"],
  too_many_ratings: [409, "Too many ratings"],
  too_many_readers: [429, "Too many open connections"],
  session_delegated: [409, "The session works on a task of another one"],
  too_many_queued: [429, "Too many messages are waiting"],
  file_too_large: [413, "File too large"],
  workspace_full: [507, "The workspace is full"],
  write_limit: [429, "Too much written at once"],
  busy: [503, "Too many writers"],
  platform_busy: [503, "Try again"],
  bad_settings: [503, "The configuration is wrong"],
  internal: [500, "Internal error"],
} as const satisfies Record<string, readonly [status: number, title: string]>;

export type ProblemCode = keyof typeof PROBLEMS;

/** `detail` says what happened, then what to do. */
export class AppError extends Error {
  override name = "AppError";
  readonly code: ProblemCode;
  readonly extra: Pick<Problem, "errors" | "facts">;
  constructor(code: ProblemCode, detail: string, extra: Pick<Problem, "errors" | "facts"> = {}) {
    super(detail);
    this.code = code;
    this.extra = extra;
  }
}

export function isProblemCode(code: string): code is ProblemCode {
  return Object.hasOwn(PROBLEMS, code);
}

/** Returns the value, or throws the failure as the problem with the same code. */
export function unwrap<T>(result: Result<T>): T {
  if (result.ok) return result.value;
  const { code, message, facts } = result.failure;
  if (!isProblemCode(code)) throw new Error(`this failure code has no problem code: ${code}: ${message}`);
  throw new AppError(code, message, { facts });
}

export function answerError(error: Error, c: Context): Response {
  const known = toAppError(error);
  if (known) return answerProblem(known, c);
  const id = ulid();
  const { method, path } = c.req;
  console.error(JSON.stringify({ id, method, path, error: error.stack ?? String(error) }));
  return answerProblem(
    new AppError("internal", "Something went wrong on our side. Report the id: it names the log line."),
    c,
    id,
  );
}

export function answerProblem(error: AppError, c: Context, id?: string): Response {
  const [status, title] = PROBLEMS[error.code];
  const problem: Problem = {
    type: `urn:talaria:problem:${error.code}`,
    title,
    status,
    code: error.code,
    detail: error.message,
    instance: c.req.path,
    ...error.extra,
    id,
  };
  const headers = new Headers({ "content-type": "application/problem+json" });
  if (status === 401) headers.set("www-authenticate", 'Bearer realm="talaria"');
  // Else the browser would send it again with every request.
  if (error.code === "sign_in_unknown") headers.append("set-cookie", writeSignInCookie(c, null));
  if (status === 426) headers.set("upgrade", "websocket");
  if (status === 503 || status === 429) headers.set("retry-after", String(readWaitSeconds(error.extra.facts) ?? 5));
  return new Response(JSON.stringify(problem), { status, headers });
}

function readWaitSeconds(facts: Problem["facts"] = {}): number | null {
  const { retryAfterSeconds: seconds, retryAfterMs: ms } = facts;
  if (typeof seconds === "number") return seconds;
  return typeof ms === "number" ? Math.ceil(ms / 1_000) : null;
}

/** Known errors: ours, Hono's, and those that the platform flags as retryable. */
export function toAppError(error: Error & { retryable?: boolean; overloaded?: boolean }): AppError | null {
  if (error instanceof AppError) return error;
  if (error instanceof HTTPException && error.status === 415) {
    return new AppError(
      "content_type_unsupported",
      "This route accepts JSON only. Send `content-type: application/json`.",
    );
  }
  if (error instanceof HTTPException && error.status === 400) {
    return new AppError("json_malformed", "The body is not valid JSON. Correct it and send it again.");
  }
  if (error.overloaded || error.retryable) {
    console.warn(JSON.stringify({ platform: error.message, overloaded: error.overloaded ?? false }));
    return new AppError("platform_busy", "The platform is busy. Try again in a few seconds.");
  }
  const newer = newerStateOf(error);
  if (newer !== null) return new AppError("state_newer", newer);
  if (error instanceof DeletedError && error.code !== "purged") return new AppError(error.code, error.message);
  return null;
}
