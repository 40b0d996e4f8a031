// Pages of a conversation, as plain text: sessions, skills, memory, found messages, usage. Called by the commands of the terminal and of
// the plain conversation. Names and texts come from models and files, so each of them becomes plain text.
import { fromTurnId } from "../../core/schemas/ids.ts";
import { ExperimentList } from "../../core/schemas/learning/experiment-api.ts";
import type { Client } from "../connection/client.ts";
import { describeOutcome } from "../output/experiment-report.ts";
import { formatTime } from "../output/times.ts";
import { toOneLine, toPlain } from "../output/plain-text.ts";
import { count } from "../show.ts";

const MAX_LINES = 30;
const MAX_TEXT = 200;

export async function renderSessions(client: Pick<Client, "recentSessions">): Promise<string> {
  const sessions = await client.recentSessions();
  if (sessions.length === 0) return "There is no session yet.";
  const lines = sessions.slice(0, MAX_LINES).map(({ session, title, createdAt }) => {
    return `${session}  ${formatTime(createdAt)}  ${clip(title === "" ? "(no title)" : title, 60)}`;
  });
  return withMore(lines, sessions.length);
}

export async function renderSkills(
  client: Pick<Client, "listSkills" | "skill" | "call">,
  name: string,
): Promise<string> {
  if (name !== "") {
    const { files } = await client.skill(name);
    const { experiments } = await client.call(ExperimentList, "GET /v1/experiments", {
      query: { skill: name, limit: "1" },
    });
    const tried = experiments.map((one) => `\n\nTried ${formatTime(one.createdAt)}: ${clip(describeOutcome(one))}`);
    const text = files["SKILL.md"];
    const others = Object.keys(files).filter((path) => path !== "SKILL.md");
    const more = others.length > 0 ? `\n\nOther files: ${others.map(toOneLine).join(", ")}` : "";
    return `${typeof text === "string" ? toPlain(text).trim() : "(SKILL.md is not text)"}${more}${tried.join("")}`;
  }
  const skills = await client.listSkills();
  if (skills.length === 0) return "There is no skill.";
  const lines = skills.map(({ name, state, origin, description, heldUntil = 0 }) => {
    const isTried = heldUntil > Date.now() ? ", being tried" : "";
    return `${name} (${state}${isTried}, by ${origin}): ${clip(description)}`;
  });
  return withMore(lines.slice(0, MAX_LINES), skills.length);
}

export async function renderMemory(client: Pick<Client, "listMemory">): Promise<string> {
  const entries = await client.listMemory();
  if (entries.length === 0) return "Nothing is remembered yet.";
  const lines = entries.map(({ store, text, since }) => `${store}  ${formatTime(since).slice(0, 10)}  ${clip(text)}`);
  return withMore(lines.slice(0, MAX_LINES), entries.length);
}

export async function renderSearch(client: Pick<Client, "search">, q: string): Promise<string> {
  const { results, missing } = await client.search({ q });
  const lines = results.map(({ session, turn, title, role, at, snippet }) => {
    const place = `${formatTime(at)}  ${role}, turn ${fromTurnId(turn).n} of ${session} ${clip(title, 40)}`;
    return `${place}\n  ${clip(snippet.text)}`;
  });
  const gaps = missing.length > 0 ? [`(not searched just now: ${missing.join(", ")})`] : [];
  return [...(lines.length > 0 ? lines : ["Nothing was found."]), ...gaps].join("\n");
}

/** `session`: none yet, so only the profile's usage is shown. */
export async function renderUsage(client: Pick<Client, "session" | "usage">, session: string | null): Promise<string> {
  const [detail, { totals }] = await Promise.all([session === null ? null : client.session(session), client.usage()]);
  const inWords = ({ calls, tokens, usd }: typeof totals) =>
    `${count(calls, "model call")}, ${count(tokens, "token")}, $${usd.toFixed(4)}`;
  const own = detail === null ? [] : [`this session: ${inWords({ ...totals, ...detail.usage })}`];
  return [...own, `this profile, 30 days: ${inWords(totals)}`].join("\n");
}

/** Rates the last turn that has ended. `argument`: `up`, or `down` and what would have been right. */
export async function rateLastTurn(
  client: Pick<Client, "session" | "rate">,
  session: string | null,
  argument: string,
): Promise<string> {
  const [, word, correction = ""] = /^(up|down)(?:\s+([\s\S]+))?$/.exec(argument) ?? [];
  if (word === undefined) return "Write it as /rate up, or /rate down WHAT WOULD HAVE BEEN RIGHT.";
  const turns = session === null ? [] : (await client.session(session)).turns;
  const last = turns.findLast(({ state, endedAt }) => endedAt !== null && state !== "steered");
  if (session === null || !last) return "There is no answer to rate yet.";
  const rating = word === "up" ? "up" : "down";
  await client.rate(session, last.n, { rating, ...(correction !== "" && { correction }) });
  return `(turn ${last.n} rated ${rating})`;
}

function withMore(lines: string[], all: number): string {
  return [...lines, ...(all > lines.length ? [`… ${all - lines.length} more`] : [])].join("\n");
}

function clip(text: string, most = MAX_TEXT): string {
  const line = toOneLine(text);
  return line.length <= most ? line : `${line.slice(0, most - 1)}…`;
}
