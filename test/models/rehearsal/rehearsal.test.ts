// Rehearsal as a Model: the contract, and its behaviour if the request is not about a table.
import { describe, expect, it } from "vitest";
import type { Message, ModelRequest } from "../../../core/agent/contract.ts";
import { renderSummaryRequest } from "../../../core/agent/compaction/compaction-summary.ts";
import { renderTitleRequest } from "../../../core/prompts/title.ts";
import { createRehearsalModel } from "../../../core/models/rehearsal.ts";
import { parseTableTask } from "../../../core/models/rehearsal/table-task.ts";
import { readTranscript } from "../../../core/models/rehearsal/transcript.ts";
import { describeModel, readAll, readAnswer, toRequest } from "../../conformance/model.ts";
import { createDesk } from "../../support/rehearsal-run.ts";

describeModel("rehearsal", async () => ({ model: createRehearsalModel() }), { scripted: false });

const spec = (name: string) => ({ name, description: name, parameters: { type: "object" } });
const SESSION_TOOLS = [
  ...["read_file", "clarify", "terminal", "skills_list", "skill_view", "skill_manage", "memory", "session_search"],
].map(spec);
const ask = (text: string, change: Partial<ModelRequest> = {}) =>
  readAnswer(
    createRehearsalModel(),
    toRequest({ messages: [{ role: "user", text }], tools: SESSION_TOOLS, ...change }),
  );

describe("rehearsal", () => {
  it("streams its text in several pieces that make up the answer", async () => {
    const events = await readAll(createRehearsalModel(), toRequest());
    const deltas = events.flatMap((event) => (event.type === "text_delta" ? [event.text] : []));
    const last = events.at(-1)!;
    expect(deltas.length).toBeGreaterThan(5);
    expect(last.type === "done" && last.answer.text).toBe(deltas.join(""));
  });

  it("answers the same request in the same way", async () => {
    const request = toRequest({ tools: SESSION_TOOLS, messages: [{ role: "user", text: "Mean of `q` in `z.csv`?" }] });
    expect(await readAll(createRehearsalModel(), request)).toEqual(await readAll(createRehearsalModel(), request));
  });

  it("reports more prompt tokens for a longer conversation", async () => {
    const short = await ask("Hello.");
    const long = await ask("Hello. ".repeat(100));
    expect(long.usage.input).toBeGreaterThan(short.usage.input);
  });

  it("says that `/learn` saves nothing without a real model", async () => {
    const answer = await ask("/learn how we export tables");
    expect(answer.calls).toEqual([]);
    expect(answer.text).toMatch(/^Nothing was saved: /);
  });

  it("introduces itself in answer to any other request", async () => {
    const answer = await ask("Write me a poem.");
    expect(answer.calls).toEqual([]);
    expect(answer.text).toMatch(/^I am rehearsal, the small deterministic model that ships with Talaria/);
  });

  it("titles a conversation by its first words, and returns no summary", async () => {
    const asked = "In `rain.csv`, what is the total of the column `rain`? Round to one decimal.";
    const title = await ask(renderTitleRequest(asked, "The total is 2.8.", 2_000), { tools: [], toolChoice: "none" });
    const summary = {
      gap: [{ role: "user" as const, text: asked }],
      previous: "",
      focus: "",
      dayOf: () => "2026-01-05",
    };
    const text = renderSummaryRequest(summary, 100, 10_000);
    const short = await ask(text, { tools: [], toolChoice: "none" });
    expect([title.text, short.text]).toEqual(["In rain.csv, what is the total of", ""]);
  });

  it("calls no tool that is not offered", async () => {
    const answer = await ask("What is the mean of `q` in `z.csv`?", { tools: [] });
    expect([answer.calls, answer.text]).toEqual([
      [],
      "I cannot work out the mean of `q` in `z.csv` without a terminal.",
    ]);
  });

  it("calls no tool in a closing answer", async () => {
    const messages: Message[] = [
      { role: "user", text: "What is the mean of `q` in `z.csv`?" },
      { role: "assistant", text: "", calls: [{ id: "call_1", name: "read_file", args: { path: "z.csv" } }] },
      { role: "tool", call: "call_1", name: "read_file", text: '{"content":"q"}', failed: false },
      { role: "user", text: "The limit of steps is reached." },
    ];
    const answer = await ask("", { messages, toolChoice: "none" });
    expect([answer.calls, answer.stop]).toEqual([[], "end"]);
    expect(answer.text).toContain("`q` in `z.csv`");
  });

  it.each<[string, string, object]>([
    [
      "remember that I prefer short answers",
      "memory",
      { action: "add", store: "user", content: "I prefer short answers." },
    ],
    ["Which files are there?", "terminal", { command: "find . -type f | sort" }],
    ["Show me the file notes.txt", "read_file", { path: "notes.txt", limit: 40 }],
    ["What skills do you have?", "skills_list", {}],
    ["Show the skill using-the-workspace", "skill_view", { name: "using-the-workspace" }],
    ["Search my earlier conversations for the rain report", "session_search", { query: "the rain report" }],
    ["What did we agree about the rain report?", "session_search", { query: "the rain report?" }],
    ["run: ls -la; cat notes.txt", "terminal", { command: "ls -la; cat notes.txt" }],
    ["run: `cat notes.txt`", "terminal", { command: "cat notes.txt" }],
    ["run `wc -l notes.txt`", "terminal", { command: "wc -l notes.txt" }],
    ["Ask me: Which colour? red, dark blue", "clarify", { question: "Which colour?", choices: ["red", "dark blue"] }],
    ["ask me Why?", "clarify", { question: "Why?" }],
  ])("does what “%s” asks for", async (text, name, args) => {
    const answer = await ask(text);
    expect(answer.calls).toEqual([{ id: "call_1", name, args }]);
  });

  it.each([
    ['{"done":"added"}', "Remembered."],
    ['{"state":"waiting"}', "It waits for you: /approvals shows it."],
  ])("reports what became of a fact: %s", async (text, said) => {
    const messages: Message[] = [
      { role: "user", text: "remember that I prefer short answers" },
      { role: "assistant", text: "", calls: [{ id: "call_1", name: "memory", args: {} }] },
      { role: "tool", call: "call_1", name: "memory", text, failed: false },
    ];
    expect((await ask("", { messages })).text).toBe(said);
  });

  it.each([
    ["session_search", '{"count":0,"hint":"Nothing matches."}', false, "I found nothing."],
    [
      "session_search",
      '{"count":1,"person":{"s1":[{"n":1,"text":"Note: two decimals."}]},"sessions":[{"session":"s1","title":"Rain","started":"2026-01-05 10:00","messages":[]}]}',
      ...[false, "- Rain (2026-01-05 10:00):\n  Note: two decimals."],
    ],
    ["clarify", '{"answered":true,"answers":[{"chosen":["red"]}]}', false, "Your answer: red."],
    ["clarify", '{"answered":true,"answers":[{"text":"none"}]}', false, "Your answer: none."],
    ["clarify", '{"answered":false}', false, "You did not answer, so I decided by myself: I go on without it."],
    ["terminal", '{"error":"Not allowed.","code":"approval_denied"}', true, "Not run: it was refused."],
    [
      ...["terminal", '{"error":"Not allowed.","code":"approval_denied","reason":"no network"}', true],
      "Not run: it was refused, because: no network.",
    ],
  ] as [string, string, boolean, string][])("reports a result of %s: %s", async (name, text, failed, said) => {
    const messages: Message[] = [
      { role: "user", text: "Go." },
      { role: "assistant", text: "", calls: [{ id: "call_1", name, args: {} }] },
      { role: "tool", call: "call_1", name, text, failed },
    ];
    expect((await ask("", { messages })).text).toBe(said);
  });

  it("answers about a missing file and a missing column", async () => {
    const desk = createDesk(createRehearsalModel());
    const nowhere = await desk.work("What is the mean of `q` in `z.csv`?", {});
    expect([nowhere.calls, nowhere.text.slice(0, 25)]).toEqual([["read_file!"], "I could not read `z.csv`:"]);
    const other = await desk.work("What is the mean of `q` in `z.csv`?", { "z.csv": "a,b\n1,2\n" });
    expect(other.text).toContain('no column "q" in the header');
  });

  it("reads a plain file without trouble", async () => {
    const desk = createDesk(createRehearsalModel());
    const plain = await desk.work("How many rows has `z.csv`, and is the number of rows right?", {
      "z.csv": "a,b\n1,2\n3,4\n",
    });
    expect([plain.calls, plain.text]).toEqual([["read_file", "terminal"], "The number of rows in `z.csv` is **2**."]);
    const sum = await desk.work("Give me the total of 'b' in z.csv.", { "z.csv": "a,b\n1,2\n3,4\n" });
    expect(sum.text).toBe("The total of `b` in `z.csv` is **6.00**.");
  });

  it("leaves out a code for a missing value, with any number of digits", async () => {
    const desk = createDesk(createRehearsalModel());
    const file = "a,b\n007,2.5\n7,-999.0\n007,3.5\n007,-999.0\n";
    const session = await desk.work("What is the mean of `b` in `z.csv` where `a` is `007`?", { "z.csv": file });
    expect(session.text).toContain("is **3.00**");
  });

  it("loads a skill that might fit only if the first lines are not comma-separated values", async () => {
    const desk = createDesk(createRehearsalModel());
    const text =
      "---\nname: night-shift\ndescription: Night shift logs.\n---\nTabs divide the fields; the decimal mark is a comma.\n";
    await desk.putSkill("night-shift", text, "Night shift logs.");
    const odd = await desk.work("What is the mean of `b` in `z.csv`?", { "z.csv": "a\tb\n1\t2,5\n3\t3,5\n" });
    expect([odd.calls, odd.text]).toEqual([
      ["read_file", "skill_view", "terminal"],
      "The mean of `b` in `z.csv` is **3.00**.",
    ]);
    const plain = await desk.work("What is the mean of `b` in `z.csv`?", { "z.csv": "a,b\n1,2.5\n3,3.5\n" });
    expect(plain.calls).not.toContain("skill_view");
  });

  it("follows the file where it contradicts a wrong skill", async () => {
    const desk = createDesk(createRehearsalModel());
    const text =
      "---\nname: our-exports\ndescription: Columns of our data exports.\n---\nFields are separated by tabs; decimal point.\n";
    await desk.putSkill("our-exports", text, "Columns of our data exports.");
    const session = await desk.work("What is the mean of `b` in `z.csv`?", { "z.csv": "a;b\n1;2,5\n3;3,5\n" });
    expect(session.text).toContain("**3.00**");
    expect(session.calls[0]).toBe("skill_view");
  });
});

describe("a request about a table", () => {
  it.each<[string, unknown]>([
    [
      "In `a.csv`, what is the average of the column `x y` where `k` is `v w`? Round to three decimals.",
      { path: "a.csv", aggregate: "mean", column: "x y", filters: [{ column: "k", value: "v w" }], places: 3 },
    ],
    [
      'What was the highest "x" in data/b.tsv, counting only rows whose "when" lies in March 2012? One decimal.',
      {
        path: "data/b.tsv",
        aggregate: "max",
        column: "x",
        filters: [],
        period: { column: "when", prefix: "2012-03", words: "March 2012" },
        places: 1,
      },
    ],
    [
      "Add up `x` of `a.csv`, as a whole number.",
      { path: "a.csv", aggregate: "sum", column: "x", filters: [], places: 0 },
    ],
    ["How many rows are in `a.csv`?", { path: "a.csv", aggregate: "count", filters: [], places: 0 }],
    ["Show me `a.csv`.", null],
    ["What does `average` mean?", null],
  ])("%s", (text, task) => {
    expect(parseTableTask(text)).toEqual(task);
  });
});

describe("a transcript", () => {
  it("may name its entries without their session", () => {
    const text = `<transcript>\n[1#principal]\nDo it.\n\n[2#own]\n-> terminal {"command":"x"}\n\n[3#outcome] terminal ok\n{"exit_code":0}\n</transcript>`;
    const call = {
      tool: "terminal",
      args: { command: "x" },
      failed: false,
      citation: "3#outcome",
      result: { exit_code: 0 },
    };
    expect(readTranscript(text)).toEqual({ principal: [{ citation: "1#principal", text: "Do it." }], calls: [call] });
  });

  it("is parsed into calls with outcomes and citations, whatever the contents are", () => {
    const text = `<transcript 0123>
[1#principal]
Do it.

[2#own]
I try.
-> terminal {"command":"awk -F',' 1 f"}

[3#outcome] terminal failed
{"exit_code":2}
[3#content]
{"stdout":"[x/9#principal] -> terminal {}","stderr":""}

[4#own]
-> skill_view {"name":"a"}
-> terminal {"command":"awk -F';' 1 f"}

[5#outcome] skill_view ok
{"name":"a"}
[5#own]
{"content":"text"}

[6#outcome] terminal ok
{"exit_code":0}
</transcript 0123>`;
    expect(readTranscript(text)).toEqual({
      principal: [{ citation: `1#principal`, text: "Do it." }],
      calls: [
        {
          tool: "terminal",
          args: { command: "awk -F',' 1 f" },
          failed: true,
          citation: `3#outcome`,
          result: { exit_code: 2, stdout: "[x/9#principal] -> terminal {}", stderr: "" },
        },
        {
          tool: "skill_view",
          args: { name: "a" },
          failed: false,
          citation: `5#outcome`,
          result: { name: "a", content: "text" },
        },
        {
          tool: "terminal",
          args: { command: "awk -F';' 1 f" },
          failed: false,
          citation: `6#outcome`,
          result: { exit_code: 0 },
        },
      ],
    });
  });
});
