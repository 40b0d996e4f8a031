// Small decisions of the chat page: where a lesson stands, what a call shows, what the agent is doing, which notices a person reads.
import { describe, expect, it } from "vitest";
import type { AgentEvent } from "../../core/schemas/entry.ts";
import { sortFiles } from "../../dashboard/chat/composer/attachments.ts";
import { parseLine, suggest } from "../../dashboard/chat/composer/completion.ts";
import { type Conversation, EMPTY, applyEvent } from "../../dashboard/chat/session/conversation.ts";
import { toForm } from "../../dashboard/chat/log/notice-text.ts";
import { type Review, placeLessons } from "../../dashboard/chat/log/place-lessons.ts";
import { describeActivity, openQuestion } from "../../dashboard/chat/session/progress.ts";
import { summarise, toChanges, toResultText } from "../../dashboard/chat/log/tool-outcome.ts";
import { NO_STATS } from "../../core/schemas/entry.ts";

const SESSION = "01J00000000000000000000000";
const show = (...events: AgentEvent[]): Conversation => events.reduce(applyEvent, EMPTY);
const start = (turn: number, entry: number): AgentEvent => ({ type: "turn_start", turn, entry });
const end = (turn: number, entry: number, modelCalls = 1): AgentEvent => ({
  ...{ type: "turn_end", turn, entry, state: "done", reason: "answer" },
  stats: { ...NO_STATS, modelCalls },
});

describe("a lesson", () => {
  const conversation = show(start(1, 1), end(1, 1), start(2, 4), end(2, 4), start(3, 9));
  const lesson = (citations: string[]) => ({
    ...{ kind: "memory" as const, store: "user" as const, action: "add", id: "m1", text: "Tea", citations },
  });
  const place = (citations: string[], review = `${SESSION}.1-8`): [number, number][] => {
    const reviews: Review[] = [{ review, state: "done", at: 1, lessons: [lesson(citations)] }];
    return [...placeLessons(reviews, conversation, SESSION)].map(([turn, lessons]) => [turn, lessons.length]);
  };

  it("stands under the turn of the newest entry that it cites", () => {
    expect(place([`${SESSION}/2#own`, `${SESSION}/5#principal`])).toEqual([[2, 1]]);
    expect(place([`${SESSION}/3#own`])).toEqual([[1, 1]]);
  });

  it("without a citation of this session stands under the last turn that its review read", () => {
    expect(place([])).toEqual([[2, 1]]);
    expect(place(["01J00000000000000000000009/1#own"], `${SESSION}.1-12`)).toEqual([[3, 1]]);
  });
});

describe("what the agent is doing", () => {
  const begun = show(start(1, 1));
  const asked = {
    ...{ for: "approval" as const, id: "a", until: 0, summary: "rm x", reasons: [], covers: null },
  };

  it("is said in a few words", () => {
    const kinds = [
      EMPTY,
      begun,
      show(start(1, 1), { type: "entry_start", turn: 1, entry: 2 }, { type: "reasoning_delta", entry: 2, text: "Hm" }),
      show(
        start(1, 1),
        { type: "entry_start", turn: 1, entry: 2 },
        { type: "text_delta", entry: 2, offset: 0, text: "A" },
      ),
      show(start(1, 1), { type: "tool_start", entry: 2, name: "terminal", args: {} }),
      show(start(1, 1), { type: "turn_park", turn: 1, entry: 2, question: asked, text: "" }),
    ].map((conversation) => {
      const activity = describeActivity(conversation);
      return activity.kind === "works" ? activity.what : activity.kind;
    });
    expect(kinds).toEqual(["idle", "Waiting for the model", "Thinking", "Answering", "Running terminal", "asks"]);
  });

  it("is asking until the question is decided, whatever is said beside it", () => {
    const parked = show(start(1, 1), { type: "turn_park", turn: 1, entry: 2, question: asked, text: "" });
    const beside = applyEvent(parked, { type: "notice_add", entry: 3, code: "command_answer", text: "It waits." });
    const decided = applyEvent(beside, { type: "notice_add", entry: 4, code: "approval_decided", text: "Allowed." });
    const open = [parked, beside, decided].map(({ turns }) => openQuestion(turns[0]!)?.entry ?? null);
    expect(open).toEqual([2, 2, null]);
  });
});

describe("a call", () => {
  it("is summed up by its most telling argument", () => {
    expect(summarise({ path: "a.txt", content: "x" })).toBe("a.txt");
    expect(summarise({ action: "patch", name: "csv", operations: [{ old_string: "a" }] })).toBe("patch csv");
    expect([summarise({}), summarise({ limit: 3 })]).toEqual(["", '{"limit":3}']);
    expect(summarise({ command: `echo ${"x".repeat(1_000)}` }).length).toBeLessThan(310);
  });

  it("shows the change that the server made of it, else what it wrote", () => {
    expect(toChanges("patch", { path: "a" }, { diff: "@@\n-a\n+b" }, false)).toEqual([
      { kind: "patch", name: "a", patch: "@@\n-a\n+b" },
    ]);
    expect(toChanges("patch", { path: "a", old_string: "x", new_string: "y" }, {}, false)).toEqual([
      { kind: "texts", name: "a", before: "x", after: "y" },
    ]);
    expect(toChanges("write_file", { path: "a", content: "x" }, {}, false)).toHaveLength(1);
    expect(toChanges("write_file", { path: "a", content: "x" }, {}, true)).toEqual([]);
    expect(toChanges("terminal", { command: "x", content: "y" }, {}, false)).toEqual([]);
  });

  it("shows what a person wants to read of its result", () => {
    expect(toResultText('{"stdout":"a","exit_code":0}', false)).toEqual({ text: "a", isJson: false });
    expect(toResultText('{"found":[1]}', false)).toEqual({ text: '{\n  "found": [\n    1\n  ]\n}', isJson: true });
    expect(toResultText('{"written":3}', true).text).toBe("");
    expect(toResultText("cut short {", false)).toEqual({ text: "cut short {", isJson: false });
  });
});

it("a notice is hidden, a line, or the answer of a command", () => {
  const form = (code: string, modelCalls: number) => {
    const notice: AgentEvent = { type: "notice_add", entry: 2, code, text: "Something happened." };
    const [turn] = show(start(1, 1), notice, end(1, 2, modelCalls)).turns;
    return toForm(turn!, { kind: "notice", entry: 2, stored: false, code, text: "Something happened." });
  };
  expect([form("news", 1), form("learned", 1), form("paused", 1), form("clarify_answered", 1)]).toEqual([
    ...["hidden", "hidden", "plain", "good"],
  ]);
  expect([form("chosen", 0), form("command_answer", 1)]).toEqual(["page", "page"]);
});

it("a slash is completed with the web's commands and the skills, and a line is sent, carried out or explained", () => {
  const skills = [
    { name: "modern-tea", description: "Brews." },
    { name: "model", description: "Hidden by the command." },
  ];
  expect(suggest("/mod", skills).map(({ value }) => value)).toEqual(["/model ", "/modern-tea "]);
  expect(suggest("/", skills).map(({ value }) => value)).not.toContain("/exit");
  expect([suggest("/model x", skills), suggest("mod", skills)]).toEqual([[], []]);
  expect(parseLine("/steer mind it")).toEqual({ kind: "command", name: "steer", argument: "mind it" });
  expect(parseLine("/undo")).toEqual({ kind: "message", text: "/undo" });
  expect(parseLine("/steer")).toMatchObject({ kind: "misused" });
});

it("files are divided into images for the message and files for the session", () => {
  const file = (name: string, type: string, bytes = 3) => new File([new Uint8Array(bytes)], name, { type });
  const { images, files, refused } = sortFiles(
    [file("a.png", "image/png"), file("b.svg", "image/svg+xml"), file("c.jpg", "image/jpeg", 4_000_000)],
    0,
  );
  expect([images.length, files.map(({ name }) => name), refused]).toEqual([
    ...[1, ["b.svg"], ["c.jpg is larger than 3.75 MiB, the limit of an image."]],
  ]);
  expect(sortFiles([file("a.png", "image/png")], 10).refused).toEqual(["A message has at most 10 images."]);
});
