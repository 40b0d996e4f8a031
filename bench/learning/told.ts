// What the worker is told with its task in the arms that have no library: all there is to know, or what an earlier session of the
// stream revealed to a reviewer who kept it.
import type { Arm } from "./arms.ts";
import { happens } from "./draws.ts";
import { sayOption } from "./statements.ts";
import { spellOption } from "./styles.ts";
import type { Progress } from "./tools.ts";
import type { Task, World } from "./tasks.ts";

export function createTold(arm: Arm, world: World, progress: Progress) {
  const known = new Map<string, { option: string; at: number }>();
  const sentence = (name: string, option: string) => {
    const { flag, style } = world.operation(name);
    return sayOption({ operation: name, spelled: spellOption(flag, style, option) }, 0);
  };
  return {
    before(task: Task): string {
      if (arm.told === "nothing") return "";
      const lines = task.operations.flatMap(({ name }) => {
        const answer = world.right(name, task.n);
        if (arm.told === "all") return [sentence(name, answer)];
        // What has changed since is forgotten.
        return known.get(name)?.option === answer ? [sentence(name, answer)] : [];
      });
      return lines.length > 0 ? `${lines.join("\n")}\n` : "";
    },
    after(task: Task, reply: ReturnType<World["followUp"]>): void {
      const { missed } = world.parameters.reviewer;
      const reveal = (operation: string, draws: string) => {
        if (!happens(missed, task.job, draws)) {
          known.set(operation, { option: world.right(operation, task.n), at: task.n });
        }
      };
      for (const operation of progress.done.get(task.job) ?? []) reveal(operation, "missed");
      const says = reply?.says;
      if (says && says.option === world.right(says.operation, task.n)) reveal(says.operation, "missed afterwards");
    },
  };
}
