// What the simulated person says about a task afterwards: rarely, in the words of the surfaces, and sometimes wrongly. It is the
// world's only signal of how a task went. Pure.
import { draw, happens, pick } from "./draws.ts";
import type { Operation } from "./outputs.ts";
import { sayOption } from "../models/statements.ts";
import { spellOption } from "./styles.ts";
import type { Reply } from "./surfaces.ts";
import type { FollowUp, Task, NamedOption, World } from "./tasks.ts";

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
  /** A reply in the request's language, if the surfaces have one and the draw selects it. */
  function replyTo({ n, lang }: Task, of: (reply: Reply) => boolean): Reply {
    const all = surfaces.replies.filter(of);
    const own = all.filter((reply) => reply.lang === lang);
    const isOwn = own.length > 0 && happens(labels.ownLanguage, seed, n, "language");
    return pick(isOwn ? own : all, seed, n, "reply");
  }

  /** One operation of the task and the option that the person names for it; a wrong option if `isFalse`. */
  function chooseCorrection(task: Task, isFalse: boolean, key: string): NamedOption {
    const { name, values } = pick(task.operations, seed, task.n, key, "which");
    const answer = right(name, task.n);
    const others = values.filter((value) => value !== answer);
    return { operation: name, option: isFalse ? pick(others, seed, task.n, key, "wrong") : answer };
  }

  function nameOption({ operation: name, option }: NamedOption, n: number): string {
    const { flag, style }: Operation = operation(name);
    return sayOption({ operation: name, spelled: spellOption(flag, style, option) }, draw(seed, n, "told"));
  }

  return {
    closing: (task) => replyTo(task, () => true).answer,
    followUp(task, succeeded) {
      const { n } = task;
      const say = (kind: FollowUp["kind"], text: string, says: NamedOption | null = null) => ({
        ...{ kind, says, text: `${text}${says ? ` ${nameOption(says, n)}` : ""} ${createReplyTag(task)}` },
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
      return corrects
        ? say("correction", reply, chooseCorrection(task, isFalse, "follow-up"))
        : say("complaint", reply);
    },
    rating(task, succeeded) {
      const { n } = task;
      if (!happens(labels.rating, seed, n, "rating")) return null;
      const isFalse = happens(labels.false, seed, n, "false rating");
      if (succeeded !== isFalse) return { rating: "up" };
      if (!happens(labels.correction, seed, n, "rated correction")) return { rating: "down" };
      return {
        rating: "down",
        correction: `${nameOption(chooseCorrection(task, isFalse, "rating"), n)} ${createReplyTag(task)}`,
      };
    },
  };
}

/** The end of a later message about a task. The task itself ends with `#<seed>.<n>`. */
export function createReplyTag({ job }: Pick<Task, "job">): string {
  return `#${job}r`;
}
