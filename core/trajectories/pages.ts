// The signature of the page reader, for everybody who reads an export page by page: the route, and training. workers/api/trajectories/
// read-page.ts has it for a Worker. Types only.
import type { Result } from "../errors.ts";
import type { TrajectoryAsked, TrajectoryPage, TrajectoryPlace } from "../schemas/trajectories.ts";

/**
 * Reads one page of the profile's data to train on. A page is bounded in sessions and characters and may have no lines; go on while
 * `next` is not `null`. Failures: `trajectories_not_allowed` (the profile gave no consent, or has withdrawn it: asked at every page),
 * `session_not_found`, `profile_gone`.
 */
export type ReadTrajectoryPage = (asked: TrajectoryAsked, place: TrajectoryPlace) => Promise<Result<TrajectoryPage>>;

/** Where an export begins. */
export const TRAJECTORY_START: TrajectoryPlace = { in: "sessions" };
