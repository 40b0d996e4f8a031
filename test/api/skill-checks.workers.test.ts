// A person's skill is kept whatever its checks say, and says what came of them. The runner is the one of the Worker's bundle.
import { beforeAll, expect, it } from "vitest";
import type { SkillHead } from "../../core/schemas/skill.ts";
import { script } from "../checks/hostile.ts";
import { START_MS, ask, createProfile } from "./api-calls.ts";

beforeAll(async () => void (await createProfile()), START_MS);

it("a person's skill with a failing check is kept, and its health says so", async () => {
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
  expect((await put({ "SKILL.md": "---\nname: a\ndescription: d\n---\n\nx\n" })).health).toBeUndefined();
});
