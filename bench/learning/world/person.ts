// What the simulated person says about a task afterwards: seldom, in words of the surfaces, and some of it wrong. Nothing else in
// the world says how a task went. Pure.
import { draw, happens, pick } from "./draws.ts";
import type { Operation } from "./outputs.ts";
import { sayOption } from "../models/statements.ts";
import { spellOption } from "./styles.ts";
import type { Reply } from "./surfaces.ts";
import type { FollowUp, Task, Told, World } from "./tasks.ts";

export function createPerson({
  parameters: { labels },
  surfaces,
  seed,
  operation,
  right,
}: Pick<World, "parameters" | "surfaces" | "seed" | "operation" | "right">): Pick<
  World,
  "followUp" | "rating" | "closing"
> {
  /** In the language of the request if the surfaces have such a reply and the draw says so. */
  function replyTo({ n, lang }: Task, of: (reply: Reply) => boolean): Reply {
    const all = surfaces.replies.filter(of);
    const own = all.filter((reply) => reply.lang === lang);
    const isOwn = own.length > 0 && happens(labels.ownLanguage, seed, n, "language");
    return pick(isOwn ? own : all, seed, n, "reply");
  }

  /** One operation of the task and the option that the person names for it. `isFalse`: a wrong one. */
  function correctionOf(task: Task, isFalse: boolean, key: string): Told {
    const { name, values } = pick(task.operations, seed, task.n, key, "which");
    const answer = right(name, task.n);
    const others = values.filter((value) => value !== answer);
    return { operation: name, option: isFalse ? pick(others, seed, task.n, key, "wrong") : answer };
  }

  function tell({ operation: name, option }: Told, n: number): string {
    const { flag, style }: Operation = operation(name);
    return sayOption({ operation: name, spelled: spellOption(flag, style, option) }, draw(seed, n, "told"));
  }

  return {
    closing: (task) => replyTo(task, () => true).answer,
    followUp(task, succeeded) {
      const { n } = task;
      const say = (kind: FollowUp["kind"], text: string, says: Told | null = null) => ({
        ...{ kind, says, text: `${text}${says ? ` ${tell(says, n)}` : ""} ${replyTag(task)}` },
      });
      if (!happens(labels.followUp, seed, n, "follow-up")) {
        if (!happens(labels.remark, seed, n, "remarks")) return null;
        return say("remark", replyTo(task, ({ verdict }) => verdict === "none").reply);
      }
      const isFalse = happens(labels.false, seed, n, "false follow-up");
      if (succeeded !== isFalse) {
        return say("thanks", replyTo(task, ({ verdict, correction }) => verdict === "success" && !correction).reply);
      }
      const corrects = happens(labels.correction, seed, n, "correction");
      const { reply } = replyTo(task, ({ verdict, correction }) => verdict === "failure" && correction === corrects);
      return corrects ? say("correction", reply, correctionOf(task, isFalse, "follow-up")) : say("complaint", reply);
    },
    rating(task, succeeded) {
      const { n } = task;
      if (!happens(labels.rating, seed, n, "rating")) return null;
      const isFalse = happens(labels.false, seed, n, "false rating");
      if (succeeded !== isFalse) return { rating: "up" };
      if (!happens(labels.correction, seed, n, "rated correction")) return { rating: "down" };
      return { rating: "down", correction: `${tell(correctionOf(task, isFalse, "rating"), n)} ${replyTag(task)}` };
    },
  };
}

/** A task ends with `#<seed>.<n>`, a later message about it with this. */
export function replyTag({ job }: Pick<Task, "job">): string {
  return `#${job}r`;
}
