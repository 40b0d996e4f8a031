// A person's skill is kept whatever its checks find, and reports their results. The check runner is the bundled Worker's.
import { beforeAll, expect, it } from "vitest";
import type { SkillHead } from "../../../core/schemas/skill.ts";
import { script } from "../../checks/hostile.ts";
import { START_MS, ask, createProfile } from "../api-calls.ts";

beforeAll(async () => void (await createProfile()), START_MS);

it("a person's skill with a failing check or an unparsable script is kept, and its health names the problem", async () => {
  const { key } = await createProfile();
  const put = async (files: Record<string, string>) => {
    const answer = await ask("PUT", "/v1/skills/a", { key, body: { files } });
    expect(answer).toMatchObject({ status: 200 });
    return answer.body as SkillHead;
  };
  const failing = await put(script("js", `console.log("no")`));
  expect(failing.health).toEqual({
    checkedAt: expect.any(Number),
    broken: ["checks/a.json: nothing in its output matches /^ok$/ (it wrote: no)"],
  });
  expect((await put(script("sh", "echo ok"))).health).toMatchObject({ broken: [] });
  const { "checks/a.json": _check, ...bare } = script("sh", "if true; then\n");
  expect((await put(bare)).health).toEqual({
    checkedAt: expect.any(Number),
    broken: [expect.stringMatching(/^scripts\/a\.sh: Parse error at \d+:\d+/)],
  });
  expect((await put({ ...bare, "scripts/a.sh": "echo ok" })).health).toMatchObject({ broken: [] });
  expect((await put({ "SKILL.md": "---\nname: a\ndescription: d\n---\n\nx\n" })).health).toBeUndefined();
});

it("an import with an unparsable script is kept, and its warnings and health name the script", async () => {
  const { key } = await createProfile();
  const files = script("js", "const a = ;");
  const finding = expect.stringMatching(/^scripts\/a\.js: line 1: SyntaxError/);
  const headers = { "content-type": "application/json" };
  const answer = await ask("POST", "/v1/skills/import", { key, headers, body: JSON.stringify({ files }) });
  expect(answer).toMatchObject({ status: 200, body: { warnings: expect.arrayContaining([finding]) } });
  const read = await ask("GET", "/v1/skills/a", { key });
  expect(read.body).toMatchObject({ head: { health: { broken: [finding] } } });
});
