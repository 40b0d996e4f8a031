// Lists that are longer than a profile of a test can be: their routes are answered in the browser, page by page, in the API's own form. For
// tests of windowed lists. Everything else still reaches the stack.
import type { Page, Route } from "playwright-core";
import type { Contract } from "../../../cli/connection/contract.ts";

type SessionLine = Contract["GET /v1/sessions"]["answer"]["sessions"][number];
type CardLine = Contract["GET /v1/boards/{board}/cards"]["answer"]["cards"][number];
type SkillLine = Contract["GET /v1/skills"]["answer"]["skills"][number];

const DAY_MS = 24 * 60 * 60_000;
const LETTERS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** Call before the page reads its lists. */
export async function growLists(page: Page, { sessions = 10_000, skills = 1_000 } = {}): Promise<void> {
  await page.route(/\/v1\/sessions(?:\?.*)?$/, (route) => answerPage(route, "sessions", sessions, 1_000, toSession));
  await page.route(/\/v1\/skills(?:\?.*)?$/, (route) => answerPage(route, "skills", skills, 1_000, toSkill));
}

/** All cards are ready, and a person's. The board itself must exist. */
export async function growBoard(page: Page, cards: number): Promise<void> {
  await page.route(/\/v1\/boards\/main\/cards(?:\?.*)?$/, (route) => answerPage(route, "cards", cards, 200, toCard));
}

/** `after` is the number of the last item. */
async function answerPage<T>(route: Route, name: string, count: number, most: number, toItem: (n: number) => T) {
  if (route.request().method() !== "GET") return route.fallback();
  const { searchParams } = new URL(route.request().url());
  const from = Number(searchParams.get("after") ?? 0);
  const to = Math.min(count, from + Math.min(most, Number(searchParams.get("limit") ?? most)));
  const items = Array.from({ length: to - from }, (_, i) => toItem(from + i));
  return route.fulfill({ json: { [name]: items, ...(to < count && { next: String(to) }) } });
}

/** The newest is number 0. */
function toSession(n: number): SessionLine {
  return {
    session: `01M8${toDigits(n, 22)}`,
    title: `Conversation ${n} of many`,
    learning: "on",
    createdAt: Date.now() - n * (DAY_MS / 10),
  };
}

/** In the order of their names, also within their categories. */
function toSkill(n: number): SkillLine {
  return {
    name: `skill-${String(n).padStart(5, "0")}`,
    description: `How work of kind ${n % 97} is done`,
    category: `category-${toDigits(Math.floor(n / 100), 2)}`,
    state: "active",
    pinned: false,
    origin: "review",
    seq: 1,
    rev: 1,
    text: "0".repeat(64),
    readiness: "available",
  };
}

function toCard(n: number): CardLine {
  return {
    ...{ v: 2, id: `c${toDigits(n, 12).toLowerCase()}`, title: `Card ${n} of many`, author: { by: "owner" } },
    ...{ assignee: { person: "Ada" }, status: "ready", priority: 0, label: null, createdAt: n, changedAt: n },
    ...{ startedAt: null, endedAt: null, notBefore: null, run: null, claimUntil: null, block: null, reason: null },
    ...{ summary: null, failures: 0, recurrences: 0, limits: {}, skills: [] },
  };
}

function toDigits(n: number, width: number): string {
  let text = "";
  for (let left = n; text.length < width; left = Math.floor(left / LETTERS.length))
    text = LETTERS[left % LETTERS.length]! + text;
  return text;
}
