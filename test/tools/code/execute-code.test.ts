// The tool execute_code in a session: what the model reads, under which label, and which rules the calls of the code follow.
import { describe, expect, test, onTestFinished } from "vitest";
import * as z from "zod";
import type { CallGate } from "../../../core/agent/contract.ts";
import { succeed } from "../../../core/agent/tool-result.ts";
import { ok } from "../../../core/errors.ts";
import { must } from "../../support/session/scripted-session.ts";
import { code, createCodeSession, createNoteTool, runCode, toShown } from "./code-session.ts";

const FILES = Object.fromEntries(
  Array.from({ length: 12 }, (_, i) => [`d/${i}.txt`, `value ${i}\n${"x ".repeat(200)}\n`]),
);
const SUM = `
  const paths = Array.from({ length: 12 }, (_, i) => "d/" + i + ".txt");
  const files = await Promise.all(paths.map((path) => tools.read_file({ path })));
  return files.reduce((sum, { content }) => sum + Number(/value (\\d+)/.exec(content)[1]), 0)`;

describe("what comes back", () => {
  test("is what the code prints and returns, with the calls it made, and not their results", async () => {
    const { result, model } = await runCode([`console.log("start"); ${SUM}`], { files: FILES });
    expect(result).toEqual({
      failed: false,
      outcome: { calls: [{ tool: "read_file", ok: true, times: 12, ms: expect.any(Number) }] },
      content: { stdout: "start\n", returned: 66 },
    });
    expect(JSON.stringify(model.requests.at(-1))).not.toContain("x x x");
  });

  test("is the model's own as long as nothing from outside was read", async () => {
    const { result } = await runCode(["console.log(1 + 1); return [Date.now() > 0, 'a']"]);
    expect(result).toEqual({ failed: false, outcome: {}, own: { stdout: "2\n", returned: [true, "a"] } });
  });

  test("names the line of an error", async () => {
    const { result } = await runCode(["const a = 1\nthrow new Error('odd ' + a)"]);
    expect(result).toEqual({
      failed: true,
      outcome: { code: "code_failed", error: "The code threw an error: see thrown." },
      own: { thrown: "Error: odd 1 (line 2 of the code)" },
    });
  });

  test("keeps the start and the end of long output, and of a long value", async () => {
    const { result } = await runCode(
      ["for (let i = 0; i < 5e3; i++) console.log(i); return Array.from({ length: 5e3 }, (_, i) => i)"],
      { settings: { turn: { maxResultChars: 4_000 } } },
    );
    const { stdout, returned } = result.own as { stdout: string; returned: string };
    expect(result.outcome).toMatchObject({ truncated: true });
    expect(stdout).toMatch(/^0\n1\n[^]*characters left out[^]*\n4999\n$/);
    expect(returned).toMatch(/^\[0,1,[^]*characters left out[^]*,4999\]$/);
    expect(JSON.stringify(result).length).toBeLessThan(4_200);
  });

  test.each([
    ["for (;;);", "timed_out"],
    ["const a = []; for (;;) a.push({})", "memory_limit"],
    ["const f = () => f() + 1; f()", "stack_limit"],
    ["for (;;) console.log('x'.repeat(1000))", "output_limit"],
    ["await new Promise(() => {})", "never_settled"],
  ])("is %s: a sentence that says what to do, and the session goes on", async (bomb, stopped) => {
    const { results, life } = await runCode([bomb, "return 1"]);
    expect(results[0]).toMatchObject({ failed: true, outcome: { code: stopped, error: expect.stringMatching(/\.$/) } });
    expect(results[1]).toEqual({ failed: false, outcome: {}, own: { returned: 1 } });
    expect(life.engine.detail()).toMatchObject({ state: "idle", turns: [{ state: "done" }] });
  });
});

describe("a call of the code", () => {
  const Empty = z.strictObject({});

  test("that fails throws its sentence, its code and its result", async () => {
    const { result } = await runCode([
      `const said = [];
       for (const call of [() => tools.read_file({ path: "none" }), () => tools.read_file({ paths: 1 }), () => tools.read_file([1]),
         () => tools.terminal({ command: "echo out; exit 3" })]) {
         try { await call() } catch (e) { said.push([e.code, e.message, e.result.stdout]) }
       }
       return said`,
    ]);
    expect(Object.values(result).at(-1)).toEqual({
      returned: [
        ["not_found", expect.any(String), null],
        ["bad_arguments", expect.stringContaining("do not fit read_file"), null],
        ["bad_arguments", expect.stringContaining("not one JSON object"), null],
        ["failed", "terminal ended with exit code 3", "out\n"],
      ],
    });
  });

  test("cannot be execute_code", async () => {
    const { result } = await runCode([
      "return [typeof tools.execute_code, typeof execute_code, typeof tools.terminal]",
    ]);
    expect(result.own).toEqual({ returned: ["undefined", "undefined", "function"] });
  });

  test("is the fiftieth at most", async () => {
    const { result } = await runCode(
      ["let n = 0; try { for (;;) { await tools.todo({}); n++ } } catch (e) { return [n, e.code] }"],
      { settings: { guardrails: { hardStops: "never" } } },
    );
    expect(result.own).toEqual({ returned: [50, "call_limit"] });
  });

  test("is refused by the guardrails like a direct one, and ends the turn like one", async () => {
    const { results, life } = await runCode([
      `const codes = [];
       for (let i = 0; i < 7; i++) try { await tools.read_file({ path: "none" }) } catch (e) { codes.push(e.code) }
       return codes`,
    ]);
    expect(Object.values(results[0]!).at(-1)).toEqual({
      returned: [...Array<string>(5).fill("not_found"), ...Array<string>(2).fill("identical_calls")],
    });
    expect(life.engine.detail()).toMatchObject({ turns: [{ state: "done" }] });
  });

  test("counts for the caps of the turn, beside direct ones", async () => {
    const { result } = await runCode(
      ["await tools.todo({})", "try { await tools.todo({}); await tools.todo({}) } catch (e) { return e.code }"],
      { settings: { guardrails: { caps: { todo: 2 } } } },
    );
    expect(result.own).toEqual({ returned: "call_limit" });
  });

  test("that a person would be asked for is refused with a sentence, and one that is forbidden with its reason", async () => {
    const notes: string[] = [];
    const gate = ({ act }: { act: string }): CallGate => {
      if (act === "ask") return { verdict: "ask", summary: "act", reasons: ["It acts."] };
      return act === "refuse" ? { verdict: "refuse", code: "forbidden", reason: "Never." } : { verdict: "run" };
    };
    const parameters = z.strictObject({ act: z.string().describe("What.") });
    const act = createNoteTool("act", notes, { parameters, gate });
    const { result } = await runCode(
      [
        `const said = []; for (const act of ["ask", "refuse", "run"]) try { said.push(await tools.act({ act })) } catch (e) { said.push(e.code + " " + e.message) } return said`,
      ],
      { tools: [act] },
    );
    expect(result.own).toEqual({
      returned: [
        "approval_needed A person must approve this call of act, and code cannot wait for that. Call act directly.",
        "forbidden Never.",
        {},
      ],
    });
    expect(notes).toEqual(['{"act":"run"}']);
  });

  test("that asks runs where nobody would be asked: in the mode `off`, and where no rule meets it in the mode `rules`", async () => {
    const gate = ({ act }: { act: string }): CallGate => ({
      ...{ verdict: "ask", summary: act, reasons: act === "rm" ? ["It deletes."] : [] },
    });
    const parameters = z.strictObject({ act: z.string().describe("What.") });
    const text = `const said = []; for (const act of ["ls", "rm"]) try { await tools.act({ act }); said.push("ran") } catch (e) { said.push(e.code) } return said`;
    for (const [mode, returned] of [
      ["off", ["ran", "ran"]],
      ["rules", ["ran", "approval_needed"]],
      ["manual", ["approval_needed", "approval_needed"]],
    ] as const) {
      const tools = [createNoteTool("act", [], { parameters, gate })];
      const { result } = await runCode([text], { tools, settings: { approvals: { mode } } });
      expect([mode, result.own]).toEqual([mode, { returned }]);
    }
  });

  test("that a standing allowance covers runs, whether the session or its profile has it; the next one is refused", async () => {
    const notes: string[] = [];
    const gate = ({ act }: { act: string }): CallGate => ({
      ...{ verdict: "ask", summary: act, reasons: ["It acts."], allowance: { exact: act } },
    });
    const parameters = z.strictObject({ act: z.string().describe("What.") });
    const act = createNoteTool("act", notes, { parameters, gate });
    const text = `const said = []; for (const act of ["one", "two", "three"]) try { await tools.act({ act }); said.push("ran") } catch (e) { said.push(e.code) } return said`;
    const script = [{ calls: [{ name: "act", args: { act: "one" } }] }, code(text), { text: "Done." }];
    const ofProfile = { v: 1 as const, id: "ab".repeat(10), kind: "exact" as const, key: "two", at: 1 };
    const approvals = {
      read: async () => ({ mode: null, allowances: [ofProfile] }),
      allow: async () => ok(null),
      revoke: async () => false,
    };
    const session = createCodeSession(script, { tools: [act], approvals });
    await session.begin();
    await session.ask();
    const { engine } = session.life;
    const [asked] = must(engine.listApprovals());
    must(await engine.decideApproval(asked!.id, { approve: true, scope: "session" }));
    await session.life.settled();
    expect(toShown(session.toolEntries().at(-1)!).own).toEqual({ returned: ["ran", "ran", "approval_needed"] });
    expect(notes).toEqual(["one", "one", "two"].map((what) => JSON.stringify({ act: what })));
  });

  test("that changes something runs alone, in its place", async () => {
    const order: string[] = [];
    const tool = (name: string, effect: "read" | "unkeyed") =>
      createNoteTool(name, [], {
        parameters: z.strictObject({ i: z.int().describe("Number.") }),
        effect,
        async run({ i }: { i: number }) {
          order.push(`${name}${i} begins`);
          for (let tick = 0; tick < 5; tick++) await Promise.resolve();
          order.push(`${name}${i} ends`);
          return succeed({});
        },
      });
    await runCode(
      ["await Promise.all([tools.see({ i: 1 }), tools.see({ i: 2 }), tools.act({ i: 3 }), tools.see({ i: 4 })])"],
      {
        tools: [tool("see", "read"), tool("act", "unkeyed")],
      },
    );
    expect(order).toEqual([
      ..."see1 begins,see2 begins,see1 ends,see2 ends,act3 begins,act3 ends,see4 begins,see4 ends".split(","),
    ]);
  });

  test("that crashes is an error of the code, not of the session", async () => {
    const broken = createNoteTool("broken", [], {
      parameters: Empty,
      run: () => Promise.reject(new Error("it broke")),
    });
    const { result } = await runCode(["try { await tools.broken({}) } catch (e) { return [e.code, e.message] }"], {
      tools: [broken],
    });
    expect(result.own).toEqual({ returned: ["tool_crashed", "The tool failed: it broke. Try another way."] });
  });
});

describe("text from outside", () => {
  test("marks a file that the code writes, and what the code then prints", async () => {
    const { life, results } = await runCode(
      [
        `await tools.write_file({ path: "before.txt", content: "mine" });
         await tools.write_file({ path: "patched.txt", content: "mine" });
         const { content } = await tools.read_file({ path: "in.txt" });
         await tools.write_file({ path: "after.txt", content: content.split("").reverse().join("") })
         await tools.patch({ path: "patched.txt", old_string: "mine", new_string: content })
         console.log("done")`,
      ],
      { files: { "in.txt": "outside\n" } },
    );
    expect(results[0]).toMatchObject({ failed: false, content: { stdout: "done\n" } });
    const files = life.engine.listFiles();
    const writerOf = (path: string) => files.ok && files.value.find((file) => file.path.endsWith(path))?.writer;
    expect([writerOf("before.txt"), writerOf("after.txt"), writerOf("patched.txt")]).toEqual([
      "own",
      "content",
      "content",
    ]);
  });

  test.each([
    ["where a text is", `tools.patch({ path: "in.txt", old_string: "s", new_string: "t" })`],
    ["that a text is not there", `tools.patch({ path: "in.txt", old_string: "a b c d e", new_string: "t" })`],
    ["how many lines there are", `tools.read_file({ path: "in.txt", offset: 99 })`],
    ["an exit code", `tools.terminal({ command: "exit $(wc -l < in.txt)" })`],
  ])("marks what the code writes after a failure that says %s", async (_what, call) => {
    const { life, result } = await runCode(
      [`await ${call}.catch(() => 0); await tools.write_file({ path: "w.txt", content: "x" }); return 1`],
      { files: { "in.txt": "secret\nsss\n" } },
    );
    const files = life.engine.listFiles();
    expect(files.ok && files.value.find(({ path }) => path.endsWith("w.txt"))?.writer).toBe("content");
    expect(result.content).toEqual({ returned: 1 });
  });

  test("cannot become the agent's own words in memory", async () => {
    const add = `tools.memory({ store: "memory", action: "add", content: "Deploys are on Tuesday." })`;
    const { results } = await runCode(
      [
        `await tools.read_file({ path: "in.txt" }); try { await ${add} } catch (e) { return e.code }`,
        `return (await ${add}).error ?? "kept"`,
      ],
      { files: { "in.txt": "outside\n" } },
    );
    expect(results[0]).toMatchObject({ content: { returned: "content_read" } });
    expect(results[1]).toMatchObject({ failed: false, own: { returned: "kept" } });
  });
});

test("a call that a crash cuts off is not repeated, and reports which calls it had made", async () => {
  const notes: string[] = [];
  const parameters = z.strictObject({ what: z.string().describe("What.") });
  const end = Promise.withResolvers<void>();
  onTestFinished(() => end.resolve()); // the sandbox of the killed session leaves its place
  let kill = () => {};
  const act = createNoteTool("act", notes, {
    parameters,
    async run({ what }: { what: string }) {
      notes.push(what);
      if (what === "second") {
        kill();
        await end.promise;
      }
      return succeed({});
    },
  });
  const script = [
    code(
      `await tools.read_file({ path: "a.txt" }); await tools.act({ what: "first" }); await tools.act({ what: "second" })`,
    ),
    { text: "I will look." },
  ];
  const session = createCodeSession(script, { tools: [act], files: { "a.txt": "a\n" } });
  await session.begin();
  const isCut = new Promise<void>((resolve) => {
    kill = () => {
      session.life.kill();
      resolve();
    };
  });
  await session.life.engine.post({ text: "Do it." });
  await isCut;
  const next = session.harness.boot();
  await next.wake();
  await next.settled();
  expect(notes).toEqual(["first", "second"]);
  const entries = next.engine.entries(0);
  const tool = entries.ok && entries.value.find((entry) => entry.kind === "tool");
  expect(tool && toShown(tool)).toEqual({
    failed: true,
    outcome: {
      code: "outcome_unknown",
      error: expect.stringContaining("Do only the rest again."),
      calls: [
        { tool: "act", state: "done" },
        { tool: "act", state: "began" },
      ],
    },
  });
});

test("twelve files are summed for a tenth of the tokens of direct calls", async () => {
  const direct = createCodeSession(
    [
      { calls: Object.keys(FILES).map((path, i) => ({ id: `c${i}`, name: "read_file", args: { path } })) },
      { text: "66" },
    ],
    { files: FILES },
  );
  await direct.begin();
  await direct.ask();
  const byCode = await runCode([SUM], { files: FILES });
  const charsOf = (requests: { messages: unknown[] }[]) =>
    requests.reduce((sum, { messages }) => sum + JSON.stringify(messages).length, 0);
  const chars = { direct: charsOf(direct.model.requests), code: charsOf(byCode.model.requests) };
  expect(direct.toolEntries()).toHaveLength(12);
  expect(chars.code * 10).toBeLessThan(chars.direct);
});

test("the tool names tools for files only where the session has them", async () => {
  const describeTool = async (backend: "workspace" | "host") => {
    const { model, life, ask } = createCodeSession([{ text: "Done." }]);
    await life.engine.create({ learning: "on", title: "", backend });
    await ask();
    return model.requests[0]!.tools.find(({ name }) => name === "execute_code")!.description;
  };
  expect(await describeTool("workspace")).toContain("tools.read_file");
  // A session on a machine that is not there.
  expect(await describeTool("host")).not.toMatch(/read_file|write_file/);
});
