// The main flow across the three real Workers: a turn, its review through the queue, a second session that uses the lesson, a
// control session without it, and the curator's report. Also a client on an unreliable connection, over real HTTP.
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { Accepted, CurationReport, ReviewLineList, SessionDetail, SkillDetail } from "../../core/schemas/api.ts";
import { type Entry, textOf } from "../../core/schemas/entry.ts";
import { type Product, startProduct } from "../support/product.ts";
import { collect } from "../support/session/collect-events.ts";

const OPERATOR = "operator-token-for-tests";

let product: Product;
let key = "";

beforeAll(async () => {
  product = await startProduct({
    vars: { TALARIA_OPERATOR_TOKEN: OPERATOR },
    names: ["api", "review", "curator"],
  });
  const created = await call<{ key: string }>("POST", "/v1/profiles", undefined, OPERATOR);
  key = created.key;
});
afterAll(() => product?.close());

async function call<T>(method: string, path: string, body?: unknown, bearer = key): Promise<T> {
  const response = await product.fetch(path, {
    method,
    headers: {
      authorization: `Bearer ${bearer}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  expect(response.ok, `${method} ${path}: ${response.status} ${text}`).toBe(true);
  return (text ? JSON.parse(text) : null) as T;
}

/** A ledger as office software exports it: semicolons, decimal commas, a marker for missing values. */
function ledger(column: string, rows: number, factor: number): { text: string; mean: string } {
  const values = Array.from({ length: rows }, (_, row) => (row % 9 === 4 ? null : ((row * 37) % 101) * factor + 0.25));
  const known = values.filter((value) => value !== null);
  const mean = known.reduce((sum, value) => sum + value, 0) / known.length;
  const cells = values.map(
    (value, row) => `site ${row % 4};${value === null ? "n/a" : value.toFixed(2).replace(".", ",")}`,
  );
  return { text: [`place;${column}`, ...cells].join("\n"), mean: mean.toFixed(2) };
}

async function ask(
  file: string,
  table: { text: string },
  column: string,
  learning = "on",
): Promise<SessionDetail & { answer: string }> {
  const { session } = await call<{ session: string }>("POST", "/v1/sessions", { learning });
  const put = await product.fetch(`/v1/sessions/${session}/files/${file}`, {
    method: "PUT",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/octet-stream" },
    body: table.text,
  });
  expect(put.ok).toBe(true);
  const stream = await product.fetch(`/v1/sessions/${session}/messages`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", accept: "text/event-stream" },
    body: JSON.stringify({ text: `In \`${file}\`, what is the mean of \`${column}\`? Give it to two decimals.` }),
  });
  const text = await stream.text();
  expect(text).toContain("event: turn_end");
  const answer = [...text.matchAll(/^data: (\{"type":"text_delta".*)$/gm)]
    .map((match) => (JSON.parse(match[1]!) as { text: string }).text)
    .join("");
  return { ...(await call<SessionDetail>("GET", `/v1/sessions/${session}`)), answer };
}

describe("the main flow", () => {
  it("solves a task after failed calls, learns from it, solves the next task without a failed call, and curates", async () => {
    const first = ledger("level", 120, 1.5);
    const one = await ask("first.csv", first, "level");
    expect(one.answer).toContain(first.mean);
    expect(one.turns[0]!.stats.failedCalls).toBeGreaterThan(0);

    const learned = await vi.waitFor(
      async () => {
        const { reviews } = await call<ReviewLineList>("GET", `/v1/reviews?session=${one.session}`);
        expect(reviews).toMatchObject([{ state: "done" }]);
        return reviews[0]!.lessons!;
      },
      { timeout: 30_000, interval: 200 },
    );
    const lesson = learned.find((candidate) => candidate.kind === "skill");
    expect(lesson?.citations.length).toBeGreaterThan(0);
    const skill = await call<SkillDetail>("GET", `/v1/skills/${lesson!.kind === "skill" ? lesson!.skill : ""}`);
    expect(skill.head).toMatchObject({ origin: "review", state: "trial", rev: 1 });

    const next = ledger("flow", 90, 2.5);
    const two = await ask("next.csv", next, "flow");
    const control = await ask("next.csv", next, "flow", "off");
    expect(two.answer).toContain(next.mean);
    expect(control.answer).toContain(next.mean);
    expect(two.turns[0]!.stats).toMatchObject({ failedCalls: 0 });
    expect(two.turns[0]!.stats.toolCalls).toBeLessThanOrEqual(one.turns[0]!.stats.toolCalls / 2);
    expect(control.turns[0]!.stats.toolCalls).toBeGreaterThanOrEqual(1.6 * two.turns[0]!.stats.toolCalls);
    expect(control.reviewing).toEqual([]);

    for (const [query, dryRun] of [
      ["?dryRun=1", true],
      ["", false],
    ] as const) {
      const { run } = await call<{ run: string }>("POST", `/v1/curator/run${query}`);
      const report = await vi.waitFor(() => call<CurationReport>("GET", `/v1/curator/runs/${run}`), {
        timeout: 20_000,
        interval: 200,
      });
      expect(report.run).toMatchObject({ run, dryRun, byState: { trial: 1 }, moves: [] });
      // Session 2 used the skill once, with success.
      expect(report.markdown).toContain(`| ${skill.head!.name} | trial | 1 | 1 | 0 | 0, 0 active |`);
    }
  });
});

describe("a client on an unreliable connection", () => {
  const headers = () => ({ authorization: `Bearer ${key}`, "content-type": "application/json" });
  const post = (session: string, text: string, more: Record<string, string> = {}) =>
    product.fetch(`/v1/sessions/${session}/messages`, {
      method: "POST",
      headers: { ...headers(), ...more },
      body: JSON.stringify({ text }),
    });
  const listen = async (session: string, lastEventId: string) =>
    collect(
      (
        await product.fetch(`/v1/sessions/${session}/events`, {
          headers: { ...headers(), "last-event-id": lastEventId },
        })
      ).body!,
    );

  it("resumes a lost stream while the turn runs and after it has ended", async () => {
    const { session } = await call<{ session: string }>("POST", "/v1/sessions", {});
    const reader = (await post(session, "Hello", { accept: "text/event-stream" })).body!.getReader();
    const seen = new TextDecoder().decode((await reader.read()).value);
    const lastEventId = /^id: (.*)$/m.exec(seen)![1]!;
    await reader.cancel();
    const rest = await listen(session, lastEventId);
    const { entries } = await call<{ entries: Entry[] }>("GET", `/v1/sessions/${session}/entries`);
    const textIn = (events: typeof rest) =>
      events.map(({ event }) => (event.type === "text_delta" ? event.text : "")).join("");
    expect([lastEventId, textIn(rest)]).toEqual(["1.0", textOf(entries[1]!)]);
    expect(rest.at(-1)!.event).toMatchObject({ type: "turn_end", state: "done" });
    const again = await listen(session, lastEventId);
    expect([textIn(again), again.at(-1)]).toEqual([textIn(rest), rest.at(-1)]);
  });

  it("gets one answer to a message that it sends twice, and a second message is queued", async () => {
    const { session } = await call<{ session: string }>("POST", "/v1/sessions", {});
    const once = { "idempotency-key": "first" };
    const accepted = async (response: Response) => (await response.json()) as Accepted;
    const [one, same, two] = await Promise.all([
      post(session, "First", once).then(accepted),
      post(session, "First", once).then(accepted),
      post(session, "Second", { "idempotency-key": "second" }).then(accepted),
    ]);
    expect([one.turn === same.turn, one.replayed !== same.replayed, two.turn === one.turn]).toEqual([
      true,
      true,
      false,
    ]);
    const other = await post(session, "Another", once);
    expect([other.status, other.headers.get("content-type")]).toEqual([409, "application/problem+json"]);
    expect(await other.json()).toMatchObject({ code: "idempotency_conflict" });
    for (const turn of [1, 2]) {
      const events = await product.fetch(`/v1/sessions/${session}/events?turn=${turn}`, { headers: headers() });
      expect((await collect(events.body!)).at(-1)!.event).toMatchObject({ type: "turn_end", turn, state: "done" });
    }
    const { entries } = await call<{ entries: Entry[] }>("GET", `/v1/sessions/${session}/entries`);
    expect(entries.map((entry) => [entry.turn, entry.kind])).toEqual([
      [1, "user"],
      [1, "assistant"],
      [2, "user"],
      [2, "assistant"],
    ]);
  });
});
