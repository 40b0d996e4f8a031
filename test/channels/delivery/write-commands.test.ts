// Commands in Talaria's own words, as a person types them on a platform that keeps words with a slash for itself.
import { expect, test } from "vitest";
import { writeCommands } from "../../../core/channels/delivery/write-commands.ts";

const PREFIX = "/talaria ";
const QUESTION = "The agent asks to run:\nls /memory `/new`\nAnswer with `/approve 95fcd4` or `/deny 95fcd4 REASON`.";

test.each([
  ["/help lists the commands.", "/talaria /help lists the commands."],
  ["- `/topic [create]` …\n- `/NAME TEXT`", "- `/talaria /topic [create]` …\n- `/talaria /NAME TEXT`"],
  ["Did you mean /status?", "Did you mean /talaria /status?"],
  ["https://a.example/help notes/new ./status /help/me /helpful", null],
])("what is said: %j", (markdown, expected) => {
  expect(writeCommands(markdown, "said", PREFIX)).toBe(expected ?? markdown);
});

test("a question names how it is decided, and shows what would run unchanged", () => {
  const answers = "Answer with `/talaria /approve 95fcd4` or `/talaria /deny 95fcd4 REASON`.";
  expect(writeCommands(QUESTION, "question", PREFIX)).toBe(`${QUESTION.split("Answer")[0]}${answers}`);
});

test("the model's words stay, and so does all where commands are typed as they are", () => {
  expect(writeCommands("Write /help.", "answer", PREFIX)).toBe("Write /help.");
  expect(writeCommands("Write /help.", "said", undefined)).toBe("Write /help.");
});
