// The error codes of the local stack's port, with their status and title. door.ts answers with them; `npm run docs` lists them
// in docs/API.md. The codes of the API itself are in workers/api/problems.ts. Pure data.

export const DOOR_PROBLEMS = {
  request_malformed: [400, "Malformed request"],
  host_refused: [403, "Host not allowed"],
  origin_refused: [403, "Origin not allowed"],
  workers_away: [502, "The Workers are restarting"],
} as const satisfies Record<string, readonly [status: number, title: string]>;

export type DoorProblemCode = keyof typeof DOOR_PROBLEMS;
