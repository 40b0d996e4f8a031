// The briefing that the worker gets with its task in the arms without a library. `all` states every right option. `revealed` states
// what a learner without errors knows: each option that an earlier session revealed and no later session refused.
import type { Arm } from "../arms/arms.ts";
import { happens } from "../world/draws.ts";
import { sayOption } from "./statements.ts";
import { spellOption } from "../world/styles.ts";
import type { Progress } from "../world/tools.ts";
import type { Task, World } from "../world/tasks.ts";

export function createBriefing(arm: Arm, world: World, progress: Progress) {
  const known = new Map<string, string>();
  const sentence = (name: string, option: string) => {
    const { flag, style } = world.operation(name);
    return sayOption({ operation: name, spelled: spellOption(flag, style, option) }, 0);
  };
  return {
    before(task: Task): string {
      if (arm.briefing === "nothing") return "";
      const lines = task.operations.flatMap(({ name }) => {
        const option = arm.briefing === "all" ? world.right(name, task.n) : known.get(name);
        return option === undefined ? [] : [sentence(name, option)];
      });
      return lines.length > 0 ? `${lines.join("\n")}\n` : "";
    },
    after(task: Task, reply: ReturnType<World["followUp"]>): void {
      const { missed } = world.parameters.reviewer;
      const reveal = (operation: string, draws: string) => {
        if (!happens(missed, task.job, draws)) known.set(operation, world.right(operation, task.n));
      };
      for (const { name } of task.operations) {
        const wasCalled = progress.calls.has(`${task.job} ${name}`);
        const isRefused = wasCalled && !world.isSilent(name) && known.get(name) !== world.right(name, task.n);
        if (isRefused) known.delete(name);
      }
      for (const operation of progress.done.get(task.job) ?? []) reveal(operation, "missed");
      const says = reply?.says;
      if (says && says.option === world.right(says.operation, task.n)) reveal(says.operation, "missed afterwards");
    },
  };
}
