// Flows whose effects stay in the workspace: files, the shell, code, lists of tasks, long and repeated results.
import { createQuickJsSandbox } from "../../../../core/sandbox/quickjs-code.ts";
import { must } from "../../session/scripted-session.ts";
import { quickjs } from "../../quickjs.ts";
import { createTestClock } from "../../clock.ts";
import { createRecordedWorld } from "../recorded-world.ts";
import { type Flow, call, code, done, read, run, say, together, write } from "./flow.ts";

const PATCH = `*** Begin Patch
*** Update File: a.txt
@@
-one
+two
*** Add File: new/b.txt
+b
*** Update File: old.txt
*** Move to: d/moved.txt
@@
-old
+moved
*** Delete File: gone.txt
*** End Patch`;

const INNER = `
  const first = await tools.read_file({ path: "n.txt" });
  await tools.write_file({ path: "new/b.txt", content: "b\\n" });
  await tools.patch({ path: "n.txt", old_string: "1", new_string: "11" });
  const made = await tools.terminal({ command: "mkdir -p d; cp n.txt d/n.txt; chmod 600 d/n.txt; ln -s n.txt l; cat d/n.txt" });
  console.log(JSON.stringify([first, made]));
`;

export const sandbox = () => createQuickJsSandbox({ module: quickjs, clock: createTestClock() });

export const workspaceFlows: Flow[] = [
  {
    title: "files are written, patched, moved, deleted, and changed and set back by the owner between turns",
    async record() {
      const world = await createRecordedWorld([
        ...[
          write("a.txt", "one\n"),
          write("old.txt", "old\n"),
          run("echo gone > gone.txt; mkdir keep; chmod 750 keep"),
          done,
        ],
        ...[call("patch", { patch: PATCH }), read("a.txt"), done],
        ...[read("a.txt"), call("search_files", { pattern: "t" }), run("ls -lR; cat a.txt"), done],
        ...[run("rm -r d new; mv a.txt b.txt; ln -s b.txt a.txt; printf x >> b.txt"), done],
        ...[run("find . | sort; cat b.txt own.txt"), done],
        ...[run("cat own.txt; ls"), write("own.txt", "mine now\n"), done],
      ]);
      await world.say("Write files.");
      world.put("gone.txt", "the owner's\n");
      await world.say("Patch them.");
      world.put("own.txt", "the owner's\n");
      must(world.engine().deleteFile("new/b.txt"));
      world.put("new/b.txt", "t\n");
      await world.say("Look.");
      await world.say("Move them.");
      const [, before] = must(world.engine().listCheckpoints());
      must(await world.engine().restoreCheckpoint(before!.n));
      await world.say("And now?");
      must(await world.engine().restoreCheckpoint(must(world.engine().listCheckpoints()).at(-1)!.n));
      world.put("own.txt", "the owner's again\n");
      await world.say("And again?");
      return world;
    },
  },
  {
    title: "programs of the shell, with the date, exits, errors and a program in awk",
    async record() {
      const world = await createRecordedWorld([
        run("date; date +%s; touch -d '2020-01-01' old; ls -l --time-style=+%Y old"),
        run("seq 1 30 | awk '{ s += $1 } END { print s }' | tee sum.txt; false"),
        run("nonesuch; cat nothing"),
        run("for f in a b c; do echo $f > $f.txt; done; cat *.txt | sort -r | uniq -c; sha256sum a.txt"),
        call("process", { action: "list" }),
        done,
        ...[run("cat sum.txt; date; rm ?.txt; ls -a"), done],
      ]);
      await world.say("Use the shell.");
      world.clock.advance(3_600_000);
      await world.say("Again.");
      return world;
    },
  },
  {
    title: "code that calls tools, fails, and is called twice",
    async record() {
      const world = await createRecordedWorld(
        [
          code(INNER),
          code(INNER),
          code("throw new Error('no')"),
          code("console.log(Math.random(), new Date().toISOString())"),
          done,
          run("cat d/n.txt l; ls -l new"),
          done,
        ],
        { sandbox: sandbox() },
      );
      world.put("n.txt", "1\n");
      await world.say("Run code.");
      await world.say("Look.");
      return world;
    },
  },
  {
    title: "a list of tasks that changes over turns",
    async record() {
      const todos = (...status: string[]) =>
        call("todo", { todos: status.map((one, i) => ({ id: String(i + 1), content: `Step ${i + 1}`, status: one })) });
      const world = await createRecordedWorld([
        ...[todos("pending", "pending"), call("todo"), done],
        ...[call("todo"), todos("completed", "in_progress", "pending"), done],
        ...[done],
        ...[call("todo"), done],
      ]);
      for (const text of ["Plan.", "Go on.", "Hello.", "What is left?"]) await world.say(text);
      return world;
    },
  },
  {
    title: "long results that are moved into files, and read there",
    async record() {
      const world = await createRecordedWorld(
        [
          run("seq 1 20000"),
          run("seq 1 30000"),
          (request) =>
            read(
              /\.talaria\/results\/[\w.-]+\.txt/.exec(request.messages.at(-1)!.text)?.[0] ??
                request.messages.at(-1)!.text.slice(-300),
              { offset: 100, limit: 20 },
            ),
          run("ls .talaria/results; seq 1 30000 | tail -n 3"),
          done,
          ...[run("seq 5 40000"), run("cat .talaria/results/* | wc"), done],
        ],
        { settings: { turn: { maxResultChars: 6_000, maxTurnResultChars: 8_000 } } },
      );
      await world.say("Count.");
      await world.say("Count again.");
      return world;
    },
  },
  {
    title: "parallel calls, repeated calls, and calls that bring warnings",
    async record() {
      const world = await createRecordedWorld([
        together(read("a.txt"), read("b.txt"), write("c.txt", "c"), read("nothing.txt"), call("nonesuch", { a: 1 })),
        together(write("a.txt", "2"), read("a.txt"), run("cat a.txt; echo 3 >> b.txt"), read("b.txt")),
        ...[read("nothing.txt"), read("nothing.txt"), read("nothing.txt"), read("nothing.txt")],
        ...[run("cat a.txt"), run("cat a.txt"), run("cat a.txt"), run("cat a.txt")],
        { calls: [{ name: "read_file", args: {}, malformed: '{"path": ' }] },
        { calls: [{ name: "read_file", args: { wrong: true } }] },
        done,
        ...[run("cat a.txt"), read("nothing.txt"), done],
      ]);
      world.put("a.txt", "1");
      world.put("b.txt", "2");
      await world.say("All at once.");
      await world.say("Once more.");
      return world;
    },
  },
  {
    title: "a turn that is stopped by its guardrails and gives a closing answer",
    async record() {
      const same = Array.from({ length: 5 }, () => read("nothing.txt"));
      const world = await createRecordedWorld([...same, say("It is not there."), done]);
      await world.say("Find it.");
      return world;
    },
  },
  {
    title: "twenty turns, of which the last is as exact as the first",
    async record() {
      const script = Array.from({ length: 20 }, (_, i) => [
        write(`f${i % 7}.txt`, `${i}`),
        run("cat f*.txt | wc -c"),
        done,
      ]).flat();
      const world = await createRecordedWorld(script);
      for (let n = 1; n <= 20; n++) await world.say(`Step ${n}.`);
      return world;
    },
  },
];
