// An update that ends at any of its points leaves the old version or the new one, whole, once the next command has run. Most points end by
// an exception, as fast as a test can; some by `kill -9` of a real process.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it, vi } from "vitest";
import { holdState } from "../../scripts/stack/stack.ts";
import { goBack } from "../../scripts/update/go-back.ts";
import { finishSwitch, readJournal, readLast, recover } from "../../scripts/update/recover.mjs";
import { runUpdate } from "../../scripts/update/run-update.ts";
import {
  STEPS,
  type SmallCheckout,
  copyCheckout,
  createFastFolders,
  git,
  judge,
  makeCheckout,
  commitAll,
  writeIn,
} from "../support/update/small-checkout.ts";

const newFolder = createFastFolders();
const template = makeCheckout(newFolder());
git(template.root, "fetch", "--quiet");
const silent = () => {};
const update = ({ root, from, to }: SmallCheckout, at: (point: string) => void = silent, steps = STEPS) => {
  const options = { root, from, to, branch: "main", now: Date.now(), say: silent, at, steps };
  return runUpdate({ ...options, signal: new AbortController().signal });
};

class Killed extends Error {
  isTest = true;
}

/** Throws at the point with this number, and notes the points on the way. */
function killer(number: number, points: string[] = []) {
  return (point: string) => {
    points.push(point);
    if (points.length - 1 === number) throw new Killed(point);
  };
}

/** What a killed process does not do any more, this one has done: the lock of the state is free. */
async function killedAt(number: number, work: (at: (point: string) => void) => unknown): Promise<string[]> {
  const points: string[] = [];
  await expect(Promise.resolve().then(() => work(killer(number, points)))).rejects.toThrow(Killed);
  return points;
}

describe("an update", () => {
  it("puts the new version in place, and leaves the state and nothing else", async () => {
    const checkout = copyCheckout(template, newFolder());
    expect(await update(checkout)).toBe("done");
    expect(judge(checkout)).toBe("new");
    expect(readLast(checkout.root)).toMatchObject({ outcome: "done", from: checkout.from, to: checkout.to });
    const updates = join(checkout.root, ".talaria/update");
    expect(readdirSync(updates).sort()).toEqual(["journal.mjs", "last.json", "old", "recover.mjs", "snapshots"]);
    const [snapshot] = readdirSync(join(updates, "snapshots"));
    expect(readFileSync(join(updates, "snapshots", snapshot!, "state/data/v3/r2/blob"), "utf8")).toBe("blob");
    expect(readdirSync(join(updates, "snapshots", snapshot!, "state")).sort()).toEqual(["data", "operator-token"]);
  });

  it("copies the packages when the lock file is the same, without caches, and needs no network for them", async () => {
    const checkout = copyCheckout(template, newFolder());
    writeIn(checkout.root, {
      "kept.txt": "newer",
      "node_modules/.cache/x": "cache",
      "node_modules/a/.cache/y": "kept",
    });
    const to = commitAll(checkout.root, "newer");
    git(checkout.root, "reset", "--quiet", "--hard", checkout.from);
    const steps = { ...STEPS, install: [process.execPath, "-e", ""] };
    expect(await update({ ...checkout, to }, silent, steps)).toBe("done");
    const modules = readdirSync(join(checkout.root, "node_modules")).sort();
    expect(modules).toEqual([".package-lock.json", "a", "which"]);
    expect(readFileSync(join(checkout.root, "node_modules/a/.cache/y"), "utf8")).toBe("kept");
    expect(readFileSync(join(checkout.root, "kept.txt"), "utf8")).toBe("newer");
  });

  it("killed at any point is brought to an end by the next command", async () => {
    const points: string[] = [];
    await update(copyCheckout(template, newFolder()), (point) => points.push(point));
    const switchAt = points.indexOf("step switch");
    expect(points.slice(0, switchAt + 1)).toEqual([
      ...["step snapshot", "step unpack", "unpacked", "step install", "installed", "step try", "tried", "step switch"],
    ]);
    // Up to the switch, nothing of the checkout has changed.
    for (let n = 0; n < switchAt; n += 1) {
      const checkout = copyCheckout(template, newFolder());
      await killedAt(n, (at) => update(checkout, at));
      const lines: string[] = [];
      expect(await recover(checkout.root, { say: (line) => lines.push(line) })).toEqual({ changed: false });
      expect([points[n], judge(checkout)]).toEqual([points[n], "old"]);
      expect(lines.join()).toMatch(
        /was interrupted \(step: .*\): removing what it had prepared,nothing was changed: version .* of .* \(old\) is in place/,
      );
    }
    // From then on it is finished; each point is killed twice, in the update and in the recovery.
    const prepared = copyCheckout(template, newFolder());
    await killedAt(switchAt, (at) => update(prepared, at));
    const rest = points.length - switchAt - 1;
    expect(rest).toBeGreaterThan(12);
    for (let n = 0; n < rest; n += 1) {
      if (points[switchAt + 1 + n]!.startsWith("file ") && n % 2 === 1) continue; // one file is like the other
      const checkout = copyCheckout(prepared, newFolder());
      const journal = readJournal(checkout.root)!;
      await killedAt(n, (at) => finishSwitch(checkout.root, journal, { at }));
      if (existsSync(join(checkout.root, ".talaria/update/journal.json")) && n % 3 === 0)
        await recover(checkout.root, { at: killer(n % 4) }).catch((error: unknown) =>
          expect(error).toBeInstanceOf(Killed),
        );
      await recover(checkout.root);
      expect([points[switchAt + 1 + n], judge(checkout)]).toEqual([points[switchAt + 1 + n], "new"]);
    }
  });

  it("that cannot write a file of the new version puts the old one back, killed at any point or not", async () => {
    const prepared = copyCheckout(template, newFolder());
    await killedAt(7, (at) => update(prepared, at));
    rmSync(join(prepared.root, ".talaria/update/next/folder-then-file")); // as if the disk had lost it
    const points: string[] = [];
    const whole = copyCheckout(prepared, newFolder());
    const lines: string[] = [];
    const say = (line: string) => lines.push(line);
    expect(finishSwitch(whole.root, readJournal(whole.root)!, { at: (point) => points.push(point), say })).toBe(
      "put back",
    );
    expect(judge(whole)).toBe("old");
    expect(lines.join()).toContain("the new version could not be put in place");
    expect(readLast(whole.root)).toMatchObject({ outcome: "put back" });
    for (let n = 0; n < points.length; n += 2) {
      const checkout = copyCheckout(prepared, newFolder());
      await killedAt(n, (at) => finishSwitch(checkout.root, readJournal(checkout.root)!, { at }));
      await recover(checkout.root);
      expect([points[n], judge(checkout)]).toEqual([points[n], "old"]);
    }
  });

  it.each([
    ["install", "could not be installed: registry is down"],
    ["trial", "did not pass its trial: registry is down"],
  ] as const)("whose %s fails changes nothing", async (step, message) => {
    const checkout = copyCheckout(template, newFolder());
    const fails = [process.execPath, "-e", 'console.error("registry is down"); process.exit(3)'];
    await expect(update(checkout, silent, { ...STEPS, [step]: fails })).rejects.toThrow(message);
    expect(judge(checkout)).toBe("old");
    expect(readLast(checkout.root)).toBeNull();
  });

  it("whose own update does not start is refused: there would be no way back from it", async () => {
    const checkout = copyCheckout(template, newFolder());
    const askUpdate = [process.execPath, "-e", 'console.error("SyntaxError"); process.exit(1)'];
    await expect(update(checkout, silent, { ...STEPS, askUpdate })).rejects.toThrow(
      "could not be updated again: SyntaxError",
    );
    expect(judge(checkout)).toBe("old");
  });

  it("is not in the hands of a person's hooks", async () => {
    const checkout = copyCheckout(template, newFolder());
    const hooks = newFolder();
    for (const name of ["reference-transaction", "post-index-change", "post-checkout"])
      writeFileSync(join(hooks, name), "#!/bin/sh\nexit 1\n", { mode: 0o755 });
    git(checkout.root, "config", "core.hooksPath", hooks);
    expect(await update(checkout)).toBe("done");
    expect(judge(checkout)).toBe("new");
  });

  it("waits for the disk before its journal says that a version is in place", async () => {
    const checkout = copyCheckout(template, newFolder());
    const bin = newFolder();
    const journal = join(checkout.root, ".talaria/update/journal.json");
    writeFileSync(join(bin, "sync"), `#!/bin/sh\ngrep '"step"' '${journal}' >> ${bin}/log\n`, { mode: 0o755 });
    vi.stubEnv("PATH", `${bin}:${process.env.PATH}`);
    await update(checkout).finally(() => vi.unstubAllEnvs());
    expect(readFileSync(join(bin, "log"), "utf8").match(/"\w+",/g)).toEqual(['"try",', '"switch",']);
  });

  it("gives up when the checkout was changed meanwhile, and keeps the change", async () => {
    const checkout = copyCheckout(template, newFolder());
    const at = (point: string) => {
      if (point === "installed") writeFileSync(join(checkout.root, "kept.txt"), "mine");
    };
    await expect(update(checkout, at)).rejects.toThrow("The checkout was changed while");
    expect(readFileSync(join(checkout.root, "kept.txt"), "utf8")).toBe("mine");
  });

  it("killed in the middle of the switch is finished by the launcher, which then starts again as the new version", async () => {
    const checkout = copyCheckout(template, newFolder());
    await expect(
      update(checkout, (point) => {
        if (point === "file scripts/run.mjs") throw new Killed(point);
      }),
    ).rejects.toThrow(Killed);
    expect(judge(checkout)).not.toBe("old");
    const launched = spawnSync(process.execPath, [join(checkout.root, "scripts/run.mjs"), "no-such-program"], {
      encoding: "utf8",
    });
    expect(launched.stderr).toContain("was interrupted and was finished: version");
    // It went on to the command, for which this small checkout has no program.
    expect(launched.stderr).toMatch(/is in place\n\[setup\] ENOENT: .*node_modules\/\.bin/);
    expect(judge(checkout)).toBe("new");
  });

  it("waits for its turn: no stack starts on the state meanwhile, and none is running when it begins", async () => {
    const checkout = copyCheckout(template, newFolder());
    const stateDir = join(checkout.root, ".talaria/state");
    const seen: unknown[] = [];
    await update(checkout, (point) => {
      if (point === "installed") seen.push(existsSync(join(stateDir, "stack.json")));
    });
    expect(seen).toEqual([true]);
    expect(existsSync(join(stateDir, "stack.json"))).toBe(false);
    await holdState(stateDir, async () => {
      const child = `import { holdState } from ${JSON.stringify(join(import.meta.dirname, "../../scripts/stack/stack.ts"))};
        holdState(process.argv[1], async () => {}).catch((error) => console.log(error.code, error.message));`;
      const ran = spawnSync(process.execPath, ["--no-warnings", "--input-type=module", "-e", child, stateDir], {
        encoding: "utf8",
      });
      expect(ran.stdout).toContain(`already_running An update is using this state (process ${process.pid})`);
    });
  });

  it("tries a copy without alarms, and leaves those of the state", async () => {
    const checkout = copyCheckout(template, newFolder());
    const alarms = (folder: string) => {
      const database = new DatabaseSync(
        join(checkout.root, ".talaria", folder, "data/v3/do/talaria-api-Session/metadata.sqlite"),
      );
      const rows = database.prepare("SELECT actor_id FROM _cf_ALARM").all();
      database.close();
      return rows.length;
    };
    const seen: number[] = [];
    await update(checkout, (point) => {
      if (point === "tried") seen.push(alarms("update/trial/state"), alarms("state"));
    });
    expect(seen).toEqual([0, 1]);
  });

  it("killed by `kill -9` while it installs ends its command, and leaves the launcher working", () => {
    const checkout = copyCheckout(template, newFolder());
    const script = join(import.meta.dirname, "../support/update/kill-while-installing.ts");
    const ran = spawnSync(process.execPath, ["--no-warnings", script, JSON.stringify(checkout)], { encoding: "utf8" });
    expect([ran.signal, ran.stderr]).toEqual(["SIGKILL", ""]);
    // The launcher recovers before it runs a command, here none.
    const said = spawnSync(process.execPath, [join(checkout.root, "scripts/run.mjs")], { encoding: "utf8" });
    expect(said.stderr).toContain("was interrupted (step: install): removing what it had prepared");
    expect(judge(checkout)).toBe("old");
    expect(() => execFileSync("pgrep", ["-f", "an install that never ends"])).toThrow();
  });
});

describe("going back", () => {
  const goes = (root: string, at: (point: string) => void = silent) =>
    goBack({ root, signal: new AbortController().signal, say: silent, mayGo: async () => true, at });

  it("puts back the version and the state from before the update, killed at any point or not", async () => {
    const updated = copyCheckout(template, newFolder());
    await update(updated);
    // The new version has begun to use the state, but accepted no turn.
    writeFileSync(join(updated.root, ".talaria/state/data/v3/r2/blob"), "rewritten");
    const points: string[] = [];
    const whole = copyCheckout(updated, newFolder());
    expect(await goes(whole.root, (point) => points.push(point))).toBe(0);
    expect(judge(whole)).toBe("old");
    expect(readFileSync(join(whole.root, ".talaria/update/state-aside/data/v3/r2/blob"), "utf8")).toBe("rewritten");
    for (let n = 0; n < points.length; n += 2) {
      const checkout = copyCheckout(updated, newFolder());
      await killedAt(n, (at) => goes(checkout.root, at));
      await recover(checkout.root);
      expect([points[n], judge(checkout)]).toEqual([points[n], "old"]);
    }
    await expect(goes(whole.root)).rejects.toThrow("no finished update");
  });

  it("is still possible after a later update has failed", async () => {
    const checkout = copyCheckout(template, newFolder());
    await update(checkout);
    writeFileSync(join(checkout.root, "kept.txt"), "newest");
    const newest = commitAll(checkout.root, "newest");
    git(checkout.root, "reset", "--quiet", "--hard", checkout.to);
    const fails = { ...STEPS, install: [process.execPath, "-e", "process.exit(1)"] };
    await expect(update({ ...checkout, from: checkout.to, to: newest }, silent, fails)).rejects.toThrow("packages");
    expect(await goes(checkout.root)).toBe(0);
    expect(judge(checkout)).toBe("old");
  });

  it("leaves the state when a turn was accepted since, also if another one was deleted", async () => {
    const checkout = copyCheckout(template, newFolder());
    await update(checkout);
    const database = new DatabaseSync(join(checkout.root, ".talaria/state/data/v3/do/talaria-api-Session/one.sqlite"));
    database.exec("DELETE FROM turn WHERE n = 1; INSERT INTO turn VALUES(3)");
    expect(await goes(checkout.root)).toBe(0);
    expect(database.prepare("SELECT n FROM turn").all()).toEqual([{ n: 2 }, { n: 3 }]);
    database.close();
    expect(judge(checkout)).toBe("old");
  });
});
