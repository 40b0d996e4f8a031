// Blueprints of goals. Data only; a test fills each.
import type { GoalBlueprint } from "../blueprint.ts";

export const GOAL_BLUEPRINTS: readonly GoalBlueprint[] = [
  {
    ...{ id: "research-report", kind: "goal", title: "A report from several sources" },
    purpose: "Works at a question until a report with enough sources is written.",
    slots: [
      { name: "question", type: "text", ask: "The question", maxChars: 1_000 },
      { name: "sources", type: "number", ask: "How many independent sources at least", min: 1, max: 30, default: 5 },
      { name: "reader", type: "text", ask: "Who reads it, and what for", maxChars: 300, optional: true },
    ],
    goal: {
      text: [
        "Answer this question in a report: {question}",
        "Write it to the file report.md.",
        "It is written for: {reader}.",
      ],
      contract: {
        outcome: "report.md answers the question, and says where sources disagree",
        verification:
          "report.md names at least {sources} independent sources by their addresses, each of which was read",
        stopWhen: "A source that is needed cannot be read, or the question can be understood in two ways",
      },
    },
  },
  {
    ...{ id: "finish-task", kind: "goal", title: "A task to its end" },
    purpose: "Works at a task until it is done and the proof that you name holds.",
    slots: [
      { name: "task", type: "text", ask: "The task", maxChars: 2_000 },
      { name: "done", type: "text", ask: "What is there when it is done", maxChars: 1_000 },
      { name: "keep", type: "text", ask: "What must stay as it is", maxChars: 1_000, optional: true },
      { name: "check", type: "text", ask: "A shell command that must succeed", maxChars: 1_000, optional: true },
    ],
    goal: {
      text: ["Finish this task: {task}"],
      contract: {
        outcome: "{done}",
        verification: "The answer shows what proves it: the output of a command, or the passage of a file",
        constraints: "Must stay as it is: {keep}",
        stopWhen: "A decision is needed that only the person can take",
      },
      check: "check",
    },
  },
];
