// Files that belong to a card. Used by core/board/board.ts.
import { type Result, err, ok } from "../errors.ts";
import { type BoardContext, opReused, runOf } from "./context.ts";
import type { Board } from "./contract.ts";

/** [hermes] 25 MiB; a call between objects carries 32 MB. */
export const MAX_ATTACHMENT_BYTES = 25 << 20;
/** [own] Of one card. */
export const MAX_ATTACHMENTS = 20;

export function createAttach(context: BoardContext): Pick<Board, "attach" | "detach"> {
  const { sql, now, find, refuse, log, attachments } = context;
  return {
    attach: (call, id, { name, mediaType, bytes }) =>
      sql.transaction(() => {
        const { author } = call;
        const earlier = context.findOp(call, id);
        if (earlier && !earlier.ok) return earlier;
        const stored = earlier && attachments.find(id, earlier.value.value ?? "");
        if (stored) return ok({ attachment: stored, replayed: true });
        const found = find(id);
        if (!found.ok) return found;
        if (earlier) return opReused(call.op!); // that of something else, or the file was removed since
        const refused = refuse(author, "attach", id);
        if (refused) return refused;
        if (bytes.length > MAX_ATTACHMENT_BYTES) {
          return err("attachment_too_large", `An attachment has at most ${MAX_ATTACHMENT_BYTES >> 20} MiB.`);
        }
        const same = attachments.find(id, name);
        if (same && same.author.by !== "agent" && author.by === "agent") {
          return err("person_only", `'${name}' is not an agent's file. Attach yours under another name.`);
        }
        const others = attachments.listOf(id).filter((attachment) => attachment.name !== name);
        if (others.length >= MAX_ATTACHMENTS) {
          return err("too_many_attachments", `A card has at most ${MAX_ATTACHMENTS} attachments. Remove one first.`);
        }
        const attachment = { name, mediaType, bytes: bytes.length, author, at: now() };
        attachments.put(id, attachment, bytes);
        log.note({
          card: id,
          run: runOf(author),
          kind: "attached",
          author,
          at: now(),
          facts: { name, bytes: bytes.length },
        });
        context.noteOp(call, id, name);
        return ok({ attachment, replayed: false });
      }),

    detach: (call, id, name) =>
      sql.transaction((): Result<null> => {
        const { author } = call;
        const earlier = context.findOp(call, id);
        if (earlier) return earlier.ok ? ok(null) : earlier;
        const found = find(id);
        if (!found.ok) return found;
        const refused = refuse(author, "attach", id);
        if (refused) return refused;
        if (!attachments.remove(id, name)) {
          return err("attachment_not_found", `The card '${id}' has no attachment '${name}'.`);
        }
        log.note({ card: id, run: null, kind: "detached", author, at: now(), facts: { name } });
        context.noteOp(call, id);
        return ok(null);
      }),
  };
}
