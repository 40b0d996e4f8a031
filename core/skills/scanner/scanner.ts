// Scans texts that try to command the agent, exfiltrate data, hide, or plant themselves. Called before a text is kept
// or becomes part of a prompt. Pure: a text gives findings, and `decide` turns them into a decision by who wrote it. It
// detects intent in wordings it knows. Provenance and the tools' own limits protect against the rest.
import type { FileBodies } from "../../schemas/file-body.ts";
import type { Origin } from "../../schemas/skill.ts";
import { AGENT_RULES } from "./agent-rules.ts";
import { isCareful, isDescribed, isForbidden, isExample } from "./context.ts";
import type { Decision, FileFinding, Finding, ScanCategory, Severity } from "./finding.ts";
import { FORMS, type Form } from "./forms.ts";
import { type TextRange, findGapped } from "./gaps.ts";
import { findShape, toShape } from "./match.ts";
import { type WordRule, indexRules } from "./rule-table.ts";
import { findStructure } from "./structure.ts";
import { type ClassRange, type Sentence, toSentences } from "./tokens.ts";
import { TRACE_REASONS, type View, toViews } from "./views.ts";
import { WORLD_RULES } from "./world-rules.ts";

export type { Decision, FileFinding, Finding, ScanCategory, Severity } from "./finding.ts";

/**
 * Raised by one whenever a rule, a form or the reading of texts changes, so that the findings of two versions are not compared as if one rule
 * had made both. The hub stores it with each installed skill.
 */
export const SCANNER_VERSION = 1;

const RULES = indexRules([...AGENT_RULES, ...WORLD_RULES]);

/** Without a given kind, a text without frontmatter up to this length counts as a note. */
const NOTE_CHARS = 1_200;
/** Scanned completely; of the rest, windows. A longer text is not a skill that a model could read. */
const WHOLE_CHARS = 256 << 10;
const WINDOW_CHARS = 16 << 10;
const WINDOWS = 16;

/**
 * A `note` states a fact. Unlike a `guide` (a skill's file, a project's file for agents), it has no room to teach about
 * attacks, and no need to give orders about installing and cleaning up.
 */
type TextKind = "note" | "guide";

/** Findings in line order. Of each pattern only its most severe place is reported, and of those the first. */
export function scanText(text: string, kind: TextKind = kindOf(text)): Finding[] {
  const found = new Map<string, Finding & { at: number }>();
  for (const { piece, offset } of toWindows(text)) {
    for (const match of scanPiece(piece, kind === "note")) {
      const known = found.get(match.pattern);
      const at = match.at + offset;
      if (known && RANK[known.severity] >= RANK[match.severity]) continue;
      found.set(match.pattern, { ...match, at, ...placeOf(text, at) });
    }
  }
  return [...found.values()]
    .sort((a, b) => a.at - b.at || (a.pattern < b.pattern ? -1 : 1))
    .map(({ pattern, category, severity, line, column, reason }) => ({
      pattern,
      category,
      severity,
      line,
      column,
      reason,
    }));
}

/** Findings of all texts, and of the files as a set, by path and then by line. */
export function scanFiles(files: FileBodies): FileFinding[] {
  return Object.entries(files)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([path, body]) =>
      typeof body === "string" ? scanText(body, "guide").map((finding) => ({ ...finding, path })) : [],
    )
    .concat(findStructure(files));
}

/** Texts of a person or of Talaria itself are never refused; those of an agent, a file or a hub may be. */
export function decide(findings: readonly Finding[], origin: Origin | "context"): Decision {
  if (origin === "user" || origin === "bundled") return "allow";
  if (findings.some(({ severity }) => severity === "critical")) return "block";
  return findings.some(({ severity }) => severity === "high") ? "ask" : "allow";
}

/** Categories that are harmless when the text demands to ask first. */
const CARE_ENDS: ReadonlySet<ScanCategory> = new Set(["control", "destruction", "spending"]);
/** A collected secret counts as the one sent within this many sentences. */
const CHAIN_SENTENCES = 6;
const COLLECTS = toShape("COLLECT ..4 STRONG_SECRET|SECRET_PATH");
const SENDS_OUT = toShape("SEND ..5 URL|SERVER");
const COLLECT_AND_SEND = {
  pattern: "collect_and_send",
  category: "exfiltration",
  severity: "high",
  inNote: "critical",
  reason: "collects secrets and then sends something out",
} as const;

const RANK: Record<Severity, number> = { low: 0, medium: 1, high: 2, critical: 3 };

interface Match extends Omit<Finding, "line" | "column"> {
  at: number;
}

function* toWindows(text: string): Generator<{ piece: string; offset: number }> {
  yield { piece: text.slice(0, WHOLE_CHARS), offset: 0 };
  const rest = text.length - WHOLE_CHARS;
  if (rest <= 0) return;
  const step = Math.max(WINDOW_CHARS, Math.floor(rest / WINDOWS));
  for (let at = WHOLE_CHARS; at < text.length - WINDOW_CHARS; at += step)
    yield { piece: text.slice(at, at + WINDOW_CHARS), offset: at };
  yield {
    piece: text.slice(Math.max(WHOLE_CHARS, text.length - WINDOW_CHARS)),
    offset: Math.max(WHOLE_CHARS, text.length - WINDOW_CHARS),
  };
}

function kindOf(text: string): TextKind {
  return text.length <= NOTE_CHARS && !/^\s*---\r?\n/.test(text) ? "note" : "guide";
}

function scanPiece(text: string, isNote: boolean): Match[] {
  const { views, traces } = toViews(text);
  const matches: Match[] = traces.map(({ pattern, at, isStrong }) => ({
    pattern,
    category: "hidden",
    severity: isStrong ? "high" : "medium",
    reason: TRACE_REASONS[pattern] ?? "hides what it says",
    at,
  }));
  for (const view of views) matches.push(...scanView(view, isNote));
  return matches;
}

function scanView(view: View, isNote: boolean): Match[] {
  const sentences = [...toSentences(view.text)];
  const inSentences = [...findInSentences(sentences, isNote)];
  const inForms = [...findInForms(view, sentences, inSentences.length)];
  return [...inSentences, ...inForms].map((hit) => toMatch(hit, view, isNote));
}

interface RuleHit {
  rule: Pick<Match, "pattern" | "category" | "reason"> & { severity: Severity; inNote: Severity };
  /** Offset in the view. */
  at: number;
  /** The place describes, forbids or quotes an order instead of giving it. */
  isExample: boolean;
}

/** Hidden text is judged as a note, more severely than the same text in the open, and never as an example. */
function toMatch({ rule, at, isExample }: RuleHit, view: View, isNote: boolean): Match {
  const { pattern, category } = rule;
  const isHidden = view.how !== "";
  const own = isNote || isHidden ? rule.inNote : rule.severity;
  const inTheOpen = isExample ? "low" : own;
  const whenHidden = own === "high" ? "critical" : own;
  const severity = isHidden ? whenHidden : inTheOpen;
  const reason = isHidden ? `${rule.reason} (written ${view.how})` : rule.reason;
  return { pattern, category, severity, reason, at: view.toOrigin(at) };
}

function* findInSentences(sentences: Sentence[], isNote: boolean): Generator<RuleHit> {
  let collectedIn = -1;
  for (const [n, sentence] of sentences.entries()) {
    // A later sentence may send what an earlier one collected.
    const isNear = collectedIn >= 0 && !sentence.inCode && n - collectedIn < CHAIN_SENTENCES;
    const sent = isNear ? findShape(SENDS_OUT, sentence) : null;
    if (sent && !isForbidden(sentence, sent)) {
      yield toHit(COLLECT_AND_SEND, sentence, sent);
      collectedIn = -1;
    }
    const collects = findShape(COLLECTS, sentence);
    if (collects && !isForbidden(sentence, collects) && !isDescribed(sentence, collects)) collectedIn = n + 1;
    yield* findByRules(sentence, isNote);
  }
}

function* findByRules(sentence: Sentence, isNote: boolean): Generator<RuleHit> {
  const inCode = !isNote && (sentence.inTable || sentence.inCode);
  const done = new Set<WordRule>();
  for (const name of sentence.hits.keys()) {
    for (const { rule, shape } of RULES.get(name) ?? []) {
      if (done.has(rule)) continue;
      const hit = findShape(shape, sentence);
      if (!hit || isForbidden(sentence, hit, shape.isNegative ? [] : hit.parts)) continue;
      if (CARE_ENDS.has(rule.category) && isCareful(sentence)) continue;
      done.add(rule);
      yield toHit(inCode ? { ...rule, severity: "medium" } : rule, sentence, hit);
    }
  }
}

function toHit(rule: RuleHit["rule"], sentence: Sentence, hit: ClassRange): RuleHit {
  const at = sentence.tokens[hit.from]!.at;
  return { rule, at, isExample: isDescribed(sentence, hit) || isExample(sentence) };
}

/** Above this many matches in a view, each form reports only one place. */
const MAX_MATCHES = 200;

/** `found`: matches in the view so far. */
function* findInForms(view: View, sentences: Sentence[], found: number): Generator<RuleHit> {
  let count = found;
  for (const rule of FORMS) {
    if (rule.isMarkup && view.how !== "") continue;
    for (const { from: at } of findForm(rule, view.text)) {
      yield { rule, at, isExample: !rule.isMarkup && isHarmlessAt(sentences, at) };
      count += 1;
      if (count > MAX_MATCHES) break;
    }
  }
}

function isHarmlessAt(sentences: Sentence[], at: number): boolean {
  const sentence = placeIn(sentences, at);
  if (!sentence) return false;
  const hit = sentenceRangeAt(sentence, at);
  return isForbidden(sentence, hit) || isDescribed(sentence, hit) || isExample(sentence);
}

function* findForm({ heads, forms, unless }: Form, text: string): Generator<TextRange> {
  heads.lastIndex = 0;
  if (!heads.test(text)) return;
  for (const form of forms) {
    for (const place of findGapped(form, text)) {
      if (!unless?.test(text.slice(place.from, place.from + UNLESS_CHARS))) yield place;
    }
  }
}

/** How far from the beginning of a match an exception is searched. */
const UNLESS_CHARS = 150;

/** The sentence that contains a character. */
function placeIn(sentences: Sentence[], at: number): Sentence | undefined {
  let [low, high] = [0, sentences.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (sentences[middle]!.tokens[0]!.at <= at) low = middle;
    else high = middle - 1;
  }
  return sentences[low];
}

function sentenceRangeAt(sentence: Sentence, at: number): ClassRange {
  let token = 0;
  while (token + 1 < sentence.tokens.length && sentence.tokens[token + 1]!.at <= at) token++;
  return { from: token, to: token };
}

function placeOf(text: string, at: number): { line: number; column: number } {
  let line = 1;
  let start = 0;
  for (let newline = text.indexOf("\n"); newline >= 0 && newline < at; newline = text.indexOf("\n", newline + 1)) {
    line++;
    start = newline + 1;
  }
  return { line, column: at - start + 1 };
}
