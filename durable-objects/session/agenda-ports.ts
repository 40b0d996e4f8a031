// What a session has of its profile's Agenda: the goals it works at, and the profile's jobs. The values cross unchanged; the platform's types lose
// some. Called by session.ts.
import type { JobPort } from "../../core/commands/jobs/job-port.ts";
import { ok } from "../../core/errors.ts";
import type { ProfileId, SessionId } from "../../core/schemas/ids.ts";
import type { GoalPort } from "../../core/session/context.ts";
import type { Agenda } from "../agenda/agenda.ts";

interface AgendaBinding {
  AGENDA: DurableObjectNamespace<Agenda>;
}

export function openGoals(env: AgendaBinding, profile: ProfileId, session: SessionId): GoalPort {
  const open = () => env.AGENDA.getByName(profile) as unknown as Agenda;
  return {
    newest: () => open().newestGoal(session),
    begin: (goal) => open().beginGoal({ ...goal, session }, false),
    change: (id, change, source) => open().changeGoal(id, change, source),
    takeVerdict: (id, turn, verdict) => open().takeVerdict(id, { session, turn }, verdict),
  };
}

export function openJobs(env: AgendaBinding, profile: ProfileId): JobPort {
  const open = () => env.AGENDA.getByName(profile) as unknown as Agenda;
  return {
    create: (spec, call) => open().createJob(spec, call),
    list: (page) => open().listJobs(page),
    read: (name) => open().readJob(name),
    change: (name, change, call) => open().changeJob(name, change, call),
    pause: (name, why, call) => open().pauseJob(name, why, call),
    resume: (name, call) => open().resumeJob(name, call),
    run: (name, call) => open().runJob(name, call),
    remove: (name, call) => open().removeJob(name, call),
    async listRuns(name, limit) {
      const listed = await open().listJobRuns(name, { before: null, limit });
      return listed.ok ? ok(listed.value.runs) : listed;
    },
  };
}
