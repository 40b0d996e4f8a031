// Sessions made of another one: as it was after a turn, or with another message in place of a turn's.
import { fillPath } from "../../../cli/connection/routes.ts";
import { ProblemError, call, sendBytes } from "../../data/api.ts";
import { invalidate } from "../../data/resource.ts";
import { toast } from "../../components/toasts.tsx";
import { readImage } from "../composer/attachments.ts";
import type { Conversation, Turn } from "./conversation.ts";
import type { GivenImage } from "./outgoing.ts";
import type { Detail } from "./session-view.ts";

/** A session that is as this one was after `turn`. Answers its id. */
export async function branchAfter(session: string, turn?: number): Promise<string> {
  const headers = { "idempotency-key": crypto.randomUUID() };
  const body = turn === undefined ? {} : { turn };
  const ask = (more: object) =>
    call("POST /v1/sessions/{session}/branch", { params: { session }, headers, body: { ...body, ...more } });
  try {
    return await finish(await ask({}));
  } catch (error) {
    if (!(error instanceof ProblemError) || error.problem.code !== "files_not_kept") throw error;
    headers["idempotency-key"] = crypto.randomUUID();
    const made = await finish(await ask({ files: "now" }));
    toast("The files of that time are no longer kept: the branch has them as they are now.");
    return made;
  }
}

/** A session that is as this one was before `turn`: the place for another message. */
export async function branchBefore(conversation: Conversation, detail: Detail, turn: Turn): Promise<string> {
  const earlier = conversation.turns.findLast(
    ({ n, end, undoneBy }) => n < turn.n && end !== null && undoneBy === null,
  );
  if (earlier) return branchAfter(detail.session, earlier.n);
  const { backend, learning, model, effort, personality, tools } = detail;
  const made = await call("POST /v1/sessions", { body: { backend, learning, ...(tools && { tools }) } });
  if (model !== undefined || effort !== undefined || personality !== undefined) {
    await call("PATCH /v1/sessions/{session}", {
      params: { session: made.session },
      body: { ...(model && { model }), ...(effort && { effort }), ...(personality && { personality }) },
    });
  }
  return finish(made);
}

async function finish({ session }: { session: string }): Promise<string> {
  await invalidate("/v1/sessions?", "/v1/sessions/");
  return session;
}

/** The images of a turn's message, to be sent again. */
export async function readImages(session: string, turn: Turn): Promise<GivenImage[]> {
  const images = turn.items.flatMap((item) => (item.kind === "person" && !item.joined ? item.images : []));
  return Promise.all(
    images.map(async ({ sha256, name = "image" }) => {
      const response = await sendBytes("GET", fillPath("/v1/sessions/{session}/images/{sha256}", { session, sha256 }));
      return readImage(await response.blob(), name);
    }),
  );
}
