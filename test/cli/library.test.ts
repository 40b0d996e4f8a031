// `talaria library` in this process against a fake API: what is requested, shown and asked.
import { expect, it } from "vitest";
import { InstallOffered, MAX_OFFERED } from "../../core/schemas/library/library.ts";
import { answerJson, answerProblem } from "../support/fake-api.ts";
import { ask } from "../support/run-talaria.ts";

const OTHER = "0123456789abcdefghjkmnpqrs";
const FOLLOWER = {
  profile: OTHER,
  label: "Books\u001b[2J",
  since: 1,
  evidence: false,
  sendsEvidence: true,
  told: true,
};
const FOLLOWING = { profile: OTHER, label: "Analysts", since: 1, evidence: true, takesEvidence: true };
const INVITATION = { id: `inv_${"0".repeat(12)}`, label: "", createdAt: 1, expiresAt: 2, uses: 3 };
const LIBRARY = { followers: [FOLLOWER], following: [FOLLOWING], invitations: [INVITATION] };

it("lists both sides and invitations, without what a label hides", async () => {
  const { stdout } = await ask(["library"], [answerJson(200, LIBRARY)]);
  expect(stdout).toMatch(
    /follows +.*Analysts.*sends counts\nfollower +.*Books�\[2J.*would send counts\ninvitation +inv_/,
  );
  expect(stdout).not.toContain("\u001b");
  const followers = await ask(["library", "followers", "--json"], [answerJson(200, LIBRARY)]);
  expect(JSON.parse(followers.stdout)).toEqual({ followers: [FOLLOWER] });
});

it("writes the code of an invitation alone to stdout, and follows with one", async () => {
  const invited = await ask(
    ["library", "invite", "Analysts", "--uses", "3", "--days", "2"],
    [answerJson(201, { ...INVITATION, code: "tlib_x" })],
  );
  expect(invited.stdout).toBe("tlib_x\n");
  expect(invited.requests).toEqual([
    'POST /v1/library/invitations {"label":"Analysts","uses":3,"expiresInMs":172800000}',
  ]);
  const followed = await ask(["library", "follow", "tlib_x", "--counts", "yes"], [answerJson(201, FOLLOWING)]);
  expect(followed.requests).toEqual(['POST /v1/library/following {"code":"tlib_x","evidence":true}']);
  expect(await ask(["library", "invite", "--uses", "no"], [])).toMatchObject({ code: 2, requests: [] });
});

it("asks before it unfollows or removes, and changes whose counts are taken", async () => {
  const gone = answerJson(204, {});
  expect(await ask(["library", "unfollow", OTHER], [gone])).toMatchObject({ code: 2, requests: [] });
  expect(await ask(["library", "unfollow", OTHER, "--yes"], [gone])).toMatchObject({
    requests: [`DELETE /v1/library/following/${OTHER}`],
  });
  expect(await ask(["library", "followers", OTHER, "--remove", "--yes"], [gone])).toMatchObject({
    requests: [`DELETE /v1/library/followers/${OTHER}`],
  });
  const taken = answerJson(200, { ...FOLLOWER, evidence: true });
  expect(await ask(["library", "followers", OTHER, "--counts", "yes"], [taken])).toMatchObject({
    requests: [`PATCH /v1/library/followers/${OTHER} {"evidence":true}`],
  });
  expect(await ask(["library", "followers", OTHER], [])).toMatchObject({ code: 2, requests: [] });
  expect(await ask(["library", "followers", "--remove"], [])).toMatchObject({ code: 2, requests: [] });
});

it("installs all that is shared in as many requests as it takes, and says what was refused", async () => {
  const place = `/v1/library/following/${OTHER}/install`;
  const first = { installed: [{ name: "rain", rev: 1 }], refused: [], left: ["sun"] };
  const refused = { name: "sun", code: "hub_dangerous", detail: "No\u001b[2J." };
  const answers = [answerJson(200, first), answerJson(200, { installed: [], refused: [refused], left: [] })];
  const done = await ask(["library", "install", OTHER], answers);
  expect(done.requests).toEqual([`POST ${place} {}`, `POST ${place} {"skills":["sun"]}`]);
  expect(done).toMatchObject({
    code: 3,
    stderr: "Installed, on trial: rain.\n! sun: No�[2J. (hub_dangerous)\n",
  });
});

it("may ask for all that was left, however much a profile offers", () => {
  const skills = Array.from({ length: MAX_OFFERED - 20 }, (_, n) => `rain-${n}`);
  expect(InstallOffered.parse({ skills })).toEqual({ skills });
});

it("lists what the followed profiles share, and shares a skill", async () => {
  const skill = { name: "rain", description: "Reads rain.", text: "ab".repeat(32), installed: true, update: true };
  const offered = await ask(["library", "offered"], [answerJson(200, LIBRARY), answerJson(200, { skills: [skill] })]);
  expect(offered.requests).toEqual(["GET /v1/library", `GET /v1/library/following/${OTHER}/skills`]);
  expect(offered.stdout).toMatch(/rain .*older +Reads rain\./);
  const shared = await ask(["library", "share", "rain"], [answerProblem(404, "skill_not_found")]);
  expect(shared).toMatchObject({ code: 3, requests: ['POST /v1/skills/rain/publish {"shared":true}'] });
});
