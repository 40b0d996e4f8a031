// Sends what a run said, or how it failed, where its job says: to a chat of a channel, or to the profile's outbound webhooks. Who takes it stores
// it, and the id makes a repetition harmless. Called by job-desk.ts.
import { clip } from "../../core/clip.ts";
import { type Result, err, ok } from "../../core/errors.ts";
import { toHookEvent } from "../../core/hooks/hook-event.ts";
import type { JobRun } from "../../core/schemas/agenda/job.ts";
import type { AccountStub, ChannelsStub } from "./context.ts";

export interface SendDeps {
  profile: string;
  account: Pick<AccountStub, "takeHookEvent">;
  channels: ChannelsStub;
}

/** [own] Of an answer in the body of an outbound webhook. */
const MAX_TEXT_CHARS = 20_000;

/** Failures: those of `ChannelsStub`, which trying again does not help. Rejects if an object cannot be reached. */
export async function sendRun({ profile, account, channels }: SendDeps, run: JobRun): Promise<Result<null>> {
  const { id, name, state, outcome, session, turn, endedAt, delivery } = run;
  const text = run.output ?? run.error ?? "";
  const to = delivery.to!;
  const said = { id: `job:${id}`, text };
  switch (to.to) {
    case "hooks": {
      const at = endedAt ?? run.claimedAt;
      const data = { job: name, run: id, state, outcome, turn, text: clip(text, MAX_TEXT_CHARS) };
      const event = { profile, type: "job.ended" as const, about: id, at, session: session ?? undefined, data };
      await account.takeHookEvent(toHookEvent(event));
      return ok(null);
    }
    case "home":
      return toSent(await channels.sendHome(to.platform ?? null, said));
    case "chat":
      return toSent(await channels.say({ ...said, chat: to.chat }));
  }
}

function toSent(sent: Result<unknown>): Result<null> {
  return sent.ok ? ok(null) : err(sent.failure.code, sent.failure.message);
}
