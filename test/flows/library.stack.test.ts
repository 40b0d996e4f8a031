// A library for a team on a running Talaria, from outside: one lesson, learned once by a real review, serves three other profiles. One of them withdraws
// it at home, which moves nothing elsewhere. Then its publisher withdraws it in all.
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import type { ReviewLineList, SessionDetail, SkillDetail } from "../../core/schemas/api.ts";
import type { SkillEvidence } from "../../core/schemas/learning/evidence.ts";
import type { CreatedInvitation, InstalledOffered, Library } from "../../core/schemas/library/library.ts";
import { type Product, startProduct } from "../support/product.ts";

const OPERATOR = "operator-token-for-tests";
const PATIENT = { timeout: 60_000, interval: 250 };

interface Member {
  profile: string;
  key: string;
}

let product: Product;
let [a, b, c, d]: Member[] = [];

beforeAll(async () => {
  // Two failures in a row withdraw a text, which costs a session less than three.
  const TALARIA_SETTINGS = JSON.stringify({ learning: { withdrawStreak: 2 } });
  const vars = { TALARIA_OPERATOR_TOKEN: OPERATOR, TALARIA_SETTINGS };
  product = await startProduct({ vars, names: ["api", "review"] });
  const make = () => call<Member>({ key: OPERATOR }, "POST", "/v1/profiles");
  [a, b, c, d] = await Promise.all([make(), make(), make(), make()]);
});
afterAll(() => product?.close());

async function send({ key }: Pick<Member, "key">, method: string, path: string, body?: unknown): Promise<Response> {
  return product.fetch(path, {
    method,
    headers: { authorization: `Bearer ${key}`, ...(body !== undefined && { "content-type": "application/json" }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

async function call<T>(by: Pick<Member, "key">, method: string, path: string, body?: unknown): Promise<T> {
  const response = await send(by, method, path, body);
  const text = await response.text();
  expect(response.ok, `${method} ${path}: ${response.status} ${text}`).toBe(true);
  return (text ? JSON.parse(text) : null) as T;
}

/** A ledger as office software exports it, which the rehearsal model reads wrongly at first. */
function ledger(column: string): { text: string; mean: string } {
  const values = Array.from({ length: 60 }, (_, row) => (row % 9 === 4 ? null : ((row * 37) % 101) * 1.5 + 0.25));
  const known = values.filter((value) => value !== null);
  const cells = values.map((value, row) => `site ${row % 4};${value?.toFixed(2).replace(".", ",") ?? "n/a"}`);
  const mean = (known.reduce((sum, value) => sum + value, 0) / known.length).toFixed(2);
  return { text: [`place;${column}`, ...cells].join("\n"), mean };
}

async function ask(by: Member, column: string): Promise<SessionDetail> {
  const { session } = await call<{ session: string }>(by, "POST", "/v1/sessions", {});
  const { text, mean } = ledger(column);
  await product.fetch(`/v1/sessions/${session}/files/table.csv`, {
    method: "PUT",
    headers: { authorization: `Bearer ${by.key}`, "content-type": "application/octet-stream" },
    body: text,
  });
  const asked = `In \`table.csv\`, what is the mean of \`${column}\`? Give it to two decimals.`;
  const answer = await product.fetch(`/v1/sessions/${session}/messages`, {
    method: "POST",
    headers: { authorization: `Bearer ${by.key}`, "content-type": "application/json", accept: "text/event-stream" },
    body: JSON.stringify({ text: asked }),
  });
  expect(await answer.text()).toContain(mean);
  return call<SessionDetail>(by, "GET", `/v1/sessions/${session}`);
}

async function follow(by: Member, code: string, label: string): Promise<void> {
  await call(by, "POST", "/v1/library/following", { code, label, evidence: true });
}

it("one lesson serves four profiles, is withdrawn in one by a follower, and in all by its publisher", async () => {
  const { session } = await ask(a!, "level");
  const name = await vi.waitFor(async () => {
    const { reviews } = await call<ReviewLineList>(a!, "GET", `/v1/reviews?session=${session}`);
    expect(reviews).toMatchObject([{ state: "done" }]);
    const lesson = reviews[0]!.lessons!.find(({ kind }) => kind === "skill");
    return lesson?.kind === "skill" ? lesson.skill : "";
  }, PATIENT);
  const head = async (by: Member) => (await call<SkillDetail>(by, "GET", `/v1/skills/${name}`)).head!;

  // Not shared yet: nothing to see, for a follower either.
  const { code } = await call<CreatedInvitation>(a!, "POST", "/v1/library/invitations", { label: "Analysts", uses: 3 });
  await Promise.all([follow(b!, code, "Books"), follow(c!, code, "Costs"), follow(d!, code, "Deals")]);
  const offered = `/v1/library/following/${a!.profile}`;
  expect(await call(b!, "GET", `${offered}/skills`)).toEqual({ skills: [] });
  expect((await send(d!, "POST", "/v1/library/following", { code: code.replace(/.{4}$/, "0000") })).status).toBe(403);
  await call(a!, "POST", `/v1/skills/${name}/publish`, { shared: true });
  expect(await call(b!, "GET", `${offered}/skills`)).toMatchObject({ skills: [{ name, installed: false }] });
  expect((await send(a!, "GET", `/v1/library/following/${b!.profile}/skills`)).status).toBe(404);

  const { followers } = await call<Library>(a!, "GET", "/v1/library");
  expect(followers.map(({ label, evidence }) => [label, evidence]).toSorted()).toEqual(
    ["Books", "Costs", "Deals"].map((label) => [label, false]),
  );
  for (const { profile } of followers) {
    await call(a!, "PATCH", `/v1/library/followers/${profile}`, { evidence: true });
  }

  // Learned once, it serves three more.
  const text = (await head(a!)).text;
  await Promise.all(
    [b!, c!, d!].map(async (member) => {
      const made = await call<InstalledOffered>(member, "POST", `${offered}/install`);
      expect(made).toMatchObject({ installed: [{ name }], refused: [], left: [] });
      expect(await head(member)).toMatchObject({ text, state: "trial", origin: "hub", from: { source: "library" } });
      const { turns } = await ask(member, "flow");
      expect(turns[0]!.stats).toMatchObject({ failedCalls: 0 });
    }),
  );

  // C's owner finds it harmful there.
  for (let n = 0; (await head(c!)).state !== "archived" && n < 8; n++) {
    const used = await ask(c!, `flow-${n}`);
    await call(c!, "POST", `/v1/sessions/${used.session}/turns/1/rating`, { rating: "down" });
    await vi.waitFor(async () => {
      const { uses } = await call<SkillEvidence>(c!, "GET", `/v1/skills/${name}/evidence`);
      expect(uses.filter(({ judge }) => judge === "rating").length).toBe(n + 1);
    }, PATIENT);
  }
  expect(await head(c!)).toMatchObject({ state: "archived", withdrawn: [text] });
  for (const member of [a!, b!, d!]) expect((await head(member)).state).not.toBe("archived");

  // What followers did with it is seen by the publisher, and is not evidence.
  // A report goes ten seconds after a turn, and at once when a follower says again that it sends counts.
  const sent = [b!, c!, d!].map((member) =>
    call(member, "PATCH", `/v1/library/following/${a!.profile}`, { evidence: true }),
  );
  await Promise.all(sent);
  const evidence = () => call<SkillEvidence>(a!, "GET", `/v1/skills/${name}/evidence`);
  await vi.waitFor(async () => expect((await evidence()).followers).toMatchObject({ profiles: 3 }), PATIENT);
  const seen = await evidence();
  expect(seen.followers!.failures).toBeGreaterThan(0);
  expect(seen.uses.every(({ turn }) => !turn.startsWith("none"))).toBe(true);
  expect(seen.texts.reduce((sum, { failures }) => sum + failures, 0)).toBe(0);
  expect(await head(a!)).toMatchObject({ text, shared: true });

  // B changes its copy; then the publisher withdraws the lesson.
  const own = await call<SkillDetail>(b!, "GET", `/v1/skills/${name}`);
  const files = { ...own.files, "SKILL.md": `${String(own.files["SKILL.md"])}\nAsk first.\n` };
  await call(b!, "PUT", `/v1/skills/${name}`, { files });
  await call(a!, "POST", `/v1/skills/${name}/archive`);
  await vi.waitFor(
    async () => expect(await head(d!)).toMatchObject({ state: "archived", reason: "Withdrawn by its publisher." }),
    PATIENT,
  );
  const locked = async (by: Member) =>
    (await call<{ skills: { name: string; seen?: object }[] }>(by, "GET", "/v1/hub/skills")).skills[0]!;
  await vi.waitFor(async () => expect(await locked(b!)).toMatchObject({ seen: { state: "gone" } }), PATIENT);
  expect(await head(b!)).toMatchObject({ state: "active", origin: "user" });
  expect(await head(c!)).toMatchObject({ state: "archived", reason: expect.stringContaining("archived here only") });
  expect(await call(b!, "GET", `${offered}/skills`)).toEqual({ skills: [] });
}, 180_000);
