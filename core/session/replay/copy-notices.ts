// Copies what the harness noted in a turn that is run again: that it was cut off and resumed, that a model was asked twice, that a person was
// asked. None of it happens again, and with it the entries keep their numbers. Called before a number is given to an entry.
import type { NoticeEntry } from "../../schemas/entry.ts";
import type { EngineContext, SessionHost } from "../context.ts";

/** Does nothing in a session of its own. */
export function copyNotices(
  { host, log }: Pick<EngineContext, "log"> & { host: Pick<SessionHost, "replay"> },
  put: (notice: NoticeEntry) => void,
): void {
  const { replay } = host;
  if (!replay) return;
  for (let notice = replay.noticeAt(log.nextEntry()); notice; notice = replay.noticeAt(log.nextEntry())) put(notice);
}
