// What becomes of each stored thing when a profile is moved: the rows of docs/STORAGE.md, one by one. Read by the exports and imports of
// each store; a test compares the rows with the document, so that a thing that is stored later is decided here. Pure.

/** `exported`: travels byte for byte. `rebuilt`: made again at the destination. `stays`: does not travel. Each with the reason. */
export type Fate = "exported" | `rebuilt: ${string}` | `stays: ${string}`;

/** R2 `SKILLS`, by the patterns of stores/keys.ts. */
export const OBJECT_FATES: Record<string, Fate> = {
  "p/<profile>/heads/<name>": "exported",
  "p/<profile>/blobs/<sha256>": "exported",
  "p/<profile>/revisions/<name>/<rev>": "exported",
  "p/<profile>/purge": "stays: a lease of a minute",
  "p/<profile>/index": "exported",
  "p/<profile>/public/<name>/<text>": "rebuilt: packed again when it is asked for",
  "p/<profile>/evidence/<name>/<text>/<turn>.<judge>": "exported",
  "p/<profile>/evidence/<name>/<text>/<turn>.<judge>.<nth>": "exported",
  "p/<profile>/stats/<name>": "exported",
  "p/<profile>/active/<day>": "exported",
  "p/<profile>/reviews/<review>/job": "exported",
  "p/<profile>/reviews/<review>/<step>": "exported",
  "p/<profile>/reviews/<review>/failed-<n>": "exported",
  "p/<profile>/reviews/<review>/result": "exported",
  "p/<profile>/reviews/<review>/dead": "exported",
  "p/<profile>/reviewed/<session>": "exported",
  "p/<profile>/busy/<session>": "stays: a mark of a turn that runs here",
  "p/<profile>/pending/<id>": "exported",
  "p/<profile>/curation/<run>/plan": "exported",
  "p/<profile>/curation/<run>/run.json": "exported",
  "p/<profile>/curation/<run>/REPORT.md": "exported",
  "p/<profile>/curation/lease": "stays: a lease of a run here",
  "p/<profile>/curation/<run>/work/<work>/<step>": "exported",
  "p/<profile>/curation/<run>/work/<work>/merge-<n>": "exported",
  "p/<profile>/curation/<run>/work/<work>/result": "exported",
  "p/<profile>/checking/<name>": "stays: checks that run here",
  "p/<profile>/curator": "exported",
  "p/<profile>/policy.json": "exported",
  "p/<profile>/curation/allowance": "stays: what this deployment's day has left",
  "p/<profile>/spent/<run>/<work>": "exported",
  "p/<profile>/deleted/sessions/<session>": "exported",
  "p/<profile>/deleted/skills/<name>": "exported",
  "p/<profile>/GONE": "stays: a deleted profile is not exported",
  "p/<profile>/email/<hash>": "stays: an address belongs to this deployment",
  "p/<profile>/hub.lock": "exported",
  "p/<profile>/hub/quarantine/<hash>": "stays: fetched here, for a day",
  "p/<profile>/hub/listing/<sha256>": "stays: a list that a source answered, asked for again",
  "p/<profile>/import/state": "stays: an import that is under way here",
  "p/<profile>/import/parts/<sha256>": "stays: an import that is under way here",
  "due/<day>/<shard>/<profile>": "rebuilt: marked by the next turn",
  "sweep/<day>/<shard>/<profile>": "rebuilt: marked at the end of the import",
  cron: "stays: of the deployment",
  "doctor/lease": "stays: of the deployment",
  "doctor/<ping>": "stays: of the deployment",
  "email/<hash>": "stays: an address belongs to this deployment",
};

/** KV `MEMORY`. */
export const MEMORY_FATES: Record<string, Fate> = {
  "p/<profile>/<store>/<hash>/+<op>": "exported",
  "p/<profile>/<store>/<hash>/-<op>": "exported",
  "p/<profile>/<store>/<hash>/purged": "exported",
  "doctor-probe/<ping>": "stays: of the deployment",
};

/** Tables in the order in which they travel. `meta` first: it has the version and the session itself. */
export const SESSION_FATES: Record<string, Fate> = {
  meta: "exported",
  turn: "exported",
  entry: "exported",
  block: "exported",
  input_key: "exported",
  job: "exported",
  // Its keys become keys of KV at the destination, because KV's listing may lack them at the origin.
  overlay: "exported",
  file_node: "exported",
  file_change: "exported",
  checkpoint: "exported",
  file_part: "exported",
  image: "exported",
  image_part: "exported",
  recorded: "stays: only in a replay, which belongs to an experiment of this deployment",
  recorded_file: "stays: as `recorded`",
  tombstone: "stays: a deleted session is not exported",
};

export const ACCOUNT_FATES: Record<string, Fate> = {
  session: "exported",
  session_kind: "exported",
  session_origin: "exported",
  session_request: "exported",
  booked: "exported",
  usage_line: "exported",
  reservation: "exported",
  allowance: "exported",
  approval_mode: "exported",
  // Without secrets and sealed values: core/moving/settings-rows.ts.
  profile_setting: "exported",
  suggestion_decision: "exported",
  keys: "stays: keys belong to a deployment",
  review_slot: "stays: it spaces the reviews of this deployment",
  erasure: "stays: what was deleted is marked in R2, which travels",
  account_state: "rebuilt: by the first booking",
  curation_request: "stays: counts an hour's requests here",
  key_socket: "stays: connections to this deployment",
  audit: "stays: says what keys of this deployment did",
  sign_in: "stays: a sign-in belongs to a key of this deployment",
  sign_in_code: "stays: as `sign_in`, for ten minutes",
  response: "stays: names an answer of this deployment; the answer is in its session",
  door_turn: "stays: names requests to this deployment; their turns are in their sessions",
  door_name: "stays: as `door_turn`; a client that names its session by id finds it",
  run: "stays: names a request to this deployment; its turn is in its session",
  run_key: "stays: as `run`, for a day",
  training_job: "stays: names a job of this deployment's training service",
  training_model: "stays: as `training_job`; the adapter is at the service",
  hook_delivery: "stays: this deployment delivers its events",
  hook_curation: "rebuilt: by the next booking",
  library_invitation: "stays: a code of this deployment",
  library_follower: "stays: both profiles are of this deployment; another one has to be invited and followed again",
  library_following: "stays: as `library_follower`; the copies travel, and their lock says where they came from",
  library_count: "stays: as `library_follower`",
  library_look: "stays: as `library_follower`",
};

export const ARCHIVE_FATES: Record<string, Fate> = {
  turn_sign: "exported",
  turn_place: "exported",
  turn_skill: "exported",
  turn_kind: "exported",
  message_purge: "exported",
  archive_part: "rebuilt: when it is opened",
  skill_text: "rebuilt: from the skills",
  skill_words: "rebuilt: from the skills",
  skill_vector: "rebuilt: from the skills",
  skill_terms: "rebuilt: from the skills",
  turn_words: "rebuilt: from `turn_sign`",
  message: "rebuilt: from the sessions' logs, without purged texts",
  message_words: "rebuilt: as `message`",
  message_pieces: "rebuilt: as `message`",
  message_terms: "rebuilt: as `message`",
  message_title: "rebuilt: as `message`",
  message_turn: "rebuilt: as `message`",
  message_year: "rebuilt: as `message`",
  message_merge: "stays: an erasure that is under way here",
  message_sum: "rebuilt: as `message`",
};

export const WEBHOOKS_FATES: Record<string, Fate> = {
  webhook_route: "stays: its address and its secret belong to this deployment",
  webhook_session: "stays: as `webhook_route`; the sessions travel",
  webhook_delivery: "stays: this deployment carries out what it accepted; the messages are in their sessions",
};

export const CHANNELS_FATES: Record<string, Fate> = {
  channel: "stays: its address and its secrets belong to this deployment",
  channel_inbound: "stays: this deployment carries out what it accepted",
  channel_chat: "stays: as `channel`; the sessions travel",
  channel_person: "stays: as `channel`",
  channel_pairing: "stays: as `channel`",
  channel_pairing_lock: "stays: as `channel`",
  channel_topic: "stays: as `channel_chat`",
  channel_loop: "stays: minutes old",
  channel_file: "stays: as `channel_inbound`",
  channel_home: "stays: as `channel_chat`",
  channel_delivery: "stays: this deployment sends what it accepted; the answers are in their sessions",
  channel_button: "stays: as `channel_delivery`",
};

export const AGENDA_FATES: Record<string, Fate> = {
  role: "stays: names models and skills that may not be there elsewhere",
  board: "stays: as the cards of `Board`",
  job: "stays: it would run in both deployments",
  goal: "stays: its session works at it in this deployment",
  goal_owed: "stays: as `goal`",
  goal_verdict: "stays: as `goal`",
  job_count: "stays: as `job`",
  job_op: "stays: as `job`",
  skill_use: "stays: as `job`",
  job_run: "stays: says what this deployment did; the sessions travel",
};

export const BOARD_FATES: Record<string, Fate> = {
  card: "stays: its runs name sessions and people of this deployment",
  card_count: "stays: as `card`",
  card_link: "stays: as `card`",
  card_run: "stays: as `card`",
  card_event: "stays: as `card`",
  card_news: "stays: as `card`",
  card_comment: "stays: as `card`",
  card_attachment: "stays: as `card`",
  card_attachment_part: "stays: as `card`",
  card_op: "stays: as `card`",
  dispatch: "stays: as `card`",
};

/** The objects of runs have the tables of a session, and are not exported: the Account does not list them. */
export const EXPERIMENTS_FATES: Record<string, Fate> = {
  experiment: "stays: its runs copy sessions of this deployment; the evidence they left travels",
  experiment_run: "stays: as `experiment`",
  experiment_text: "stays: as `experiment`",
};

/** The tables that travel, in their order. */
export function travellingTables(fates: Record<string, Fate>): string[] {
  return Object.keys(fates).filter((table) => fates[table] === "exported");
}
