// The subjects of bench:hostile: every exported function that reads, scans or compares untrusted text, such as project files,
// skills, archives, tool results, messages, facts and providers' replies. Each is called as the product calls it.
import { toPlain as toTerminalPlain, toOneLine } from "../../cli/output/plain-text.ts";
import { parseEventStream } from "../../cli/events.ts";
import { parseOrder } from "../../cli/converse.ts";
import { readRendered, renderForModel } from "../../core/agent/tool-result.ts";
import { toTitle } from "../../core/session/turn/title.ts";
import { readContextFiles } from "../../core/session/prompt/context-files.ts";
import { nearestCommand, parseSessionCommand } from "../../core/commands/parse-command.ts";
import {
  type SummaryInput,
  renderStaticSummary,
  renderSummaryRequest,
} from "../../core/agent/compaction/compaction-summary.ts";
import type { Message } from "../../core/agent/contract.ts";
import { pruneMessages } from "../../core/agent/compaction/compaction-prune.ts";
import { addedText } from "../../core/learning/added-text.ts";
import { itemsOf, isKept } from "../../core/learning/skill-items.ts";
import { judgeMessage } from "../../core/learning/observe/judge-message.ts";
import { wordsIn } from "../../core/learning/observe/call-words.ts";
import { removeRefutedSentences } from "../../core/learning/evidence/refuted.ts";
import { namesOtherValue } from "../../core/learning/observe/other-value.ts";
import { findTriedWords } from "../../core/learning/observe/tried-words.ts";
import { choicesIn, pairsIn } from "../../core/learning/option-pairs.ts";
import { areSimilarWords, contentWords, mayComeAgain, taskOf } from "../../core/learning/requests.ts";
import { createGrounding } from "../../core/learning/review/rules/grounding.ts";
import { createClaims } from "../../core/learning/review/rules/claims.ts";
import { readVerdicts } from "../../core/learning/review/verdicts.ts";
import { MAX_ASKED } from "../../core/learning/review/rules/second-judge.ts";
import { checkStory, createSessionWords } from "../../core/learning/review/rules/one-off.ts";
import { stringsIn, toPlainText } from "../../core/learning/taint/entries.ts";
import { findTaint, findTaintedLoss } from "../../core/learning/taint/judge.ts";
import { destinationsIn, numbersIn, toSearchable } from "../../core/learning/taint/destinations.ts";
import { foldText, meaningOf, termsIn } from "../../core/learning/taint/meaning.ts";
import { compareLines, proseLines } from "../../core/learning/taint/removals.ts";
import { sentencesIn, sentencesOfFile, removeSentences } from "../../core/learning/sentences.ts";
import { SessionRecord } from "../../core/learning/taint/session-record.ts";
import { createSessionTaint, createTaint } from "../../core/learning/taint/taint.ts";
import { taintedPieces } from "../../core/learning/taint/tainted-pieces.ts";
import { isTrivial, hashBullet, toBullets, toQuery } from "../../core/memory/recall.ts";
import { normaliseFact, parseFact, scanFact } from "../../core/memory/rules.ts";
import { scrub } from "../../core/memory/scrub.ts";
import { parseBody, readErrorBody, readWaitInWords } from "../../core/models/failures/error-reply.ts";
import { readReplyFailure, redact } from "../../core/models/failures/failures.ts";
import { readEvents } from "../../core/models/stream/sse.ts";
import { toStorableJson } from "../../core/models/stream/storable-answer.ts";
import { parseArguments } from "../../core/models/wires/wire-calls.ts";
import { listedSkills } from "../../core/models/rehearsal/request.ts";
import { readAdvice } from "../../core/models/rehearsal/prose/prose.ts";
import { escapeTags, escapeTagsInJson } from "../../core/prompt-block.ts";
import { renderTitleRequest } from "../../core/prompts/title.ts";
import { redactText } from "../../core/redact.ts";
import { readBodyTerms, compareBodies } from "../../core/skills/search/body-similarity.ts";
import { readCheck } from "../../core/skills/checks.ts";
import { conditionsOf } from "../../core/skills/format/conditions.ts";
import { contractOf } from "../../core/skills/format/contract.ts";
import { archiveKindOf, unpack } from "../../core/skills/exchange/archive.ts";
import { readArchive, readFolder, readSkillMd } from "../../core/skills/exchange/import.ts";
import { gunzip, inflate } from "../../core/zip/inflate.ts";
import { decodeText } from "../../core/tools/web/page/charset.ts";
import { feedToMarkdown } from "../../core/tools/web/page/feed.ts";
import { htmlToMarkdown } from "../../core/tools/web/page/html/html-to-markdown.ts";
import { findKind } from "../../core/tools/web/page/media-type.ts";
import { checkPath } from "../../core/skills/exchange/paths.ts";
import { chooseName } from "../../core/skills/exchange/skill-name.ts";
import { makeStrictCopy } from "../../core/skills/exchange/strict.ts";
import { readTar } from "../../core/skills/exchange/tar.ts";
import { readZip } from "../../core/skills/exchange/read-zip.ts";
import { parseSkill, toCategory } from "../../core/skills/format/format.ts";
import { readFrontmatter } from "../../core/skills/format/frontmatter.ts";
import { diffFiles } from "../../core/skills/history.ts";
import { parseInvocation } from "../../core/skills/invocation.ts";
import { patchText } from "../../core/patch/patch.ts";
import { readEscapes } from "../../core/patch/patch-escapes.ts";
import { pickRecalled } from "../../core/skills/search/recall.ts";
import { nearestNeighbours } from "../../core/skills/search/similarity.ts";
import { renderSkillIndex } from "../../core/skills/index-block.ts";
import { rankSkills } from "../../core/skills/search/ranking.ts";
import { readBodyWords } from "../../core/skills/search/skill-words.ts";
import { checkStandard } from "../../core/skills/format/standard.ts";
import { scanFiles, scanText } from "../../core/skills/scanner/scanner.ts";
import { toSentences } from "../../core/skills/scanner/tokens.ts";
import { fromBase64, toViews } from "../../core/skills/scanner/views.ts";
import { createPurgedMatcher, hashPieces } from "../../core/archive/messages/purged-texts.ts";
import { holdsAny, toPieces, withoutTexts } from "../../core/skills/search/text-pieces.ts";
import { findSyntaxError } from "../../core/checks/syntax.ts";
import { haveSamePolarity } from "../../core/skills/search/polarity-words.ts";
import { termsOf, wordsOf } from "../../core/skills/search/words.ts";
import { estimateTokens } from "../../core/tokens.ts";
import { headAndTail } from "../../core/tools/clip.ts";
import { describeMissing } from "../../core/tools/files/nearest-paths.ts";
import type { SkillSnapshot } from "../../core/ports.ts";
import { type Entry, NO_USAGE, type Part, type ToolEntry } from "../../core/schemas/entry.ts";
import type { FileBodies } from "../../core/schemas/file-body.ts";
import type { Sha256, SkillName } from "../../core/schemas/ids.ts";
import type { SkillLine } from "../../core/schemas/api.ts";
import type { Workspace } from "../../core/workspace/workspace.ts";
import { gzipSync, zipSync } from "fflate";

export interface Subject {
  name: string;
  /** Source files whose literals the hostile texts are built from. */
  sources: string[];
  run(text: string, other: string): unknown;
}

const NAME = "hostile" as SkillName;
const MAX_CALLS = 40;
const WHOLE = Number.MAX_SAFE_INTEGER;

const wrapAsSkill = (body: string) => `---\nname: hostile\ndescription: Reads texts.\n---\n\n${body}`;
const wrapAsFiles = (text: string): FileBodies => ({ "SKILL.md": wrapAsSkill(text) });
const encodeText = (text: string) => new TextEncoder().encode(text);
const content = (text: string): Part => ({ source: "content", text });
const createReadEntry = (text: string, n = 1): Entry => ({
  ...{ v: 1, n, turn: 1, at: 0, kind: "tool", state: "done", step: 0, failed: false, prepared: {} },
  call: { id: "1", name: "read_file", args: { path: "a.txt" } },
  parts: [content(text)],
});
/** As many calls as a long turn has; the last call contains the remaining text. */
const linesIn = (text: string) => {
  const lines = text.split(/[\n.]/);
  return [...lines.slice(0, MAX_CALLS), lines.slice(MAX_CALLS).join(" ")];
};
const callWith = (command: string): ToolEntry => ({
  ...{ v: 1, n: 1, turn: 1, at: 0, kind: "tool", state: "done", step: 0, failed: false, prepared: {}, parts: [] },
  call: { id: "1", name: "terminal", args: { command } },
});
const createUserEntry = (text: string, n = 1): Entry => ({
  ...{ v: 1, n, turn: 1, at: 0, kind: "user" },
  parts: [{ source: "principal", text }],
});
const createAnswerEntry = (text: string, n: number): Entry => ({
  ...{ v: 1, n, turn: 1, at: 0, kind: "assistant" },
  parts: [{ source: "own", text }],
  answer: { model: "test:model", stop: "end", calls: [], usage: NO_USAGE },
});
const createReadTaint = (read: string) => createTaint({ entries: [createReadEntry(read)] });
const WRITE = { name: NAME, description: "Reads texts.", citations: [], approved: false };
const createSnapshot = (text: string) =>
  ({ files: wrapAsFiles(text), head: { state: "active", description: "Reads texts." } }) as unknown as SkillSnapshot;
/** The same long text in a message of each role. */
const createMessages = (text: string): Message[] => [
  { role: "user", text, entry: 1 },
  { role: "assistant", text, calls: [{ id: "1", name: "read_file", args: { path: text } }] },
  { role: "tool", call: "1", name: "read_file", text, failed: false },
];
const createSkillLines = (text: string): SkillLine[] =>
  Array.from({ length: 20 }, (_, n) => ({
    ...{ name: `skill-${n}`, description: text.slice(n * 1_000, n * 1_000 + 1_000), state: "active", origin: "user" },
    ...{ seq: n, rev: 1, pinned: false, uses: 2, helped: 2, category: "" },
  })) as unknown as SkillLine[];
const createTextStream = (text: string) => new Response(encodeText(text)).body!;
const clock = { now: () => 0, sleep: () => new Promise<void>(() => {}) };
/** Stands in for the sandbox, which findSyntaxError needs only for JavaScript. */
const NO_SANDBOX = {} as Parameters<typeof findSyntaxError>[2];
const createRecord = (text: string) => {
  const record = new SessionRecord();
  record.addRead(text);
  return record;
};
const readAll = async (text: string) => {
  const events = readEvents(new Response(encodeText(text)), { maxOutputTokens: 32_000, clock });
  for (;;) if ((await events.next()) === null) return;
};
const drain = async (events: AsyncIterable<unknown>) => {
  for await (const _event of events);
};
const ignore = (work: Promise<unknown>) => work.catch(() => {}); // refusing hostile text is a valid result

const subject = (name: string, source: string | string[], run: Subject["run"]): Subject => ({
  name,
  sources: [source].flat(),
  run,
});

const SCANNER = [
  "scanner/forms.ts",
  "scanner/views.ts",
  "scanner/tokens.ts",
  "scanner/lexicon.ts",
  "scanner/context.ts",
].map((file) => `core/skills/${file}`);
const TAINT = [
  ...["entries", "judge", "destinations", "meaning", "removals", "rendered"].map(
    (file) => `core/learning/taint/${file}.ts`,
  ),
  "core/learning/sentences.ts",
  "core/learning/markdown.ts",
];

const PAGES = [
  "core/tools/web/page/charset.ts",
  "core/tools/web/page/feed.ts",
  "core/tools/web/page/media-type.ts",
  "core/tools/web/page/html/html-to-markdown.ts",
  "core/tools/web/page/html/markdown-writer.ts",
];

export const SUBJECTS: readonly Subject[] = [
  // Texts that become part of a prompt or are stored.
  subject("scanText guide", SCANNER, (text) => scanText(text, "guide")),
  subject("scanText note", SCANNER, (text) => scanText(text, "note")),
  subject("scanFiles", SCANNER, (text) => scanFiles({ "SKILL.md": text, "a.md": "" })),
  subject("toViews", SCANNER, (text) => toViews(text)),
  subject("toSentences", SCANNER, (text) => [...toSentences(text)]),
  subject("fromBase64", "core/skills/scanner/views.ts", (text) => fromBase64(text)),
  subject("readContextFiles", ["core/session/prompt/context-files.ts", ...SCANNER], (text) =>
    readContextFiles(createWorkspace(text), 20_000),
  ),
  subject("escapeTags", "core/prompt-block.ts", (text) => escapeTags(text)),
  subject("escapeTagsInJson", "core/prompt-block.ts", (text) => escapeTagsInJson(JSON.stringify(text))),
  subject("redactText", "core/redact.ts", (text) => redactText(text)),
  subject("estimateTokens", "core/tokens.ts", (text) => estimateTokens(text)),
  // Skills.
  subject("parseSkill", ["core/skills/format/format.ts", "core/skills/format/frontmatter.ts"], (text) =>
    parseSkill(text),
  ),
  subject("parseSkill body", "core/skills/format/format.ts", (text) => parseSkill(wrapAsSkill(text))),
  subject("readFrontmatter", "core/skills/format/frontmatter.ts", (text) =>
    readFrontmatter(`---\nname: a\n${text}\n---\n`),
  ),
  subject("readFrontmatter flow", "core/skills/format/frontmatter.ts", (text) =>
    readFrontmatter(`---\na: [${text}]\n---\n`),
  ),
  subject("readFrontmatter value", "core/skills/format/frontmatter.ts", (text) =>
    readFrontmatter(`---\nname: a\ndescription: ${text}\n---\n`),
  ),
  subject("toCategory", "core/skills/format/format.ts", (text) => toCategory(text)),
  subject("checkStandard", "core/skills/format/standard.ts", (text) => checkStandard(text, "a")),
  subject("conditionsOf", "core/skills/format/conditions.ts", (text) => conditionsOf(`---\nname: a\n${text}\n---\n`)),
  subject("contractOf", "core/skills/format/contract.ts", (text) => contractOf(`---\nname: a\n${text}\n---\n`)),
  subject("readCheck", "core/skills/checks.ts", (text) => readCheck("checks/a.json", { "checks/a.json": text })),
  subject("toStrict", ["core/skills/exchange/strict.ts", "core/skills/format/frontmatter.ts"], (text) =>
    makeStrictCopy(NAME, { "SKILL.md": `---\nname: hostile\ndescription: a\n${text}\n---\nx` }),
  ),
  subject("toStrict key", "core/skills/exchange/strict.ts", (text) =>
    makeStrictCopy(NAME, { "SKILL.md": `---\nname: hostile\ndescription: a\n${JSON.stringify(text)}: b\n---\nx` }),
  ),
  subject("toStrict tools", "core/skills/exchange/strict.ts", (text) =>
    makeStrictCopy(NAME, {
      "SKILL.md": `---\nname: hostile\ndescription: a\nx: 1\nallowed-tools: ${JSON.stringify(text)}\n---\nx`,
    }),
  ),
  subject("htmlToMarkdown", PAGES, (text) => htmlToMarkdown(text, "https://site.example/", 1_000_000)),
  subject("feedToMarkdown", PAGES, (text) => feedToMarkdown(`<rss>${text}`, "https://site.example/")),
  subject("decodeText", PAGES, (text) => decodeText(encodeText(text), text)),
  subject("findKind", PAGES, (text) => findKind(text, encodeText(text))),
  subject("readSkillMd", "core/skills/exchange/import.ts", (text) => readSkillMd(encodeText(text))),
  subject("readFolder", "core/skills/exchange/import.ts", (text) =>
    readFolder({ "a/SKILL.md": wrapAsSkill(text), "a/b.md": text }),
  ),
  subject("chooseName", "core/skills/exchange/skill-name.ts", (text) => chooseName(text, text)),
  subject("checkPath", "core/skills/exchange/paths.ts", (text) => checkPath(text)),
  subject("unpack", "core/skills/exchange/archive.ts", (text) => [
    archiveKindOf(encodeText(text)),
    unpack(encodeText(text)),
  ]),
  subject("readArchive zip", "core/zip/zip-reader.ts", (text) =>
    readArchive(zipSync({ "a/SKILL.md": encodeText(wrapAsSkill(text)) }, { level: 1 })),
  ),
  subject("readZip names", "core/zip/zip-reader.ts", (text) =>
    readZip(
      zipSync(Object.fromEntries(text.match(/[^]{1,60}/g)!.map((name, n) => [`${n}${name}`, new Uint8Array()])), {
        level: 0,
      }),
    ),
  ),
  subject("readZip hidden", "core/zip/zip-reader.ts", (text) =>
    readZip(encodeText(`PK\x03\x04${text}PK\x05\x06${"\0".repeat(18)}`)),
  ),
  subject("readTar", "core/skills/exchange/tar.ts", (text) => readTar(encodeText(text))),
  subject("inflate", "core/zip/inflate.ts", (text) => inflate(encodeText(text), 10 << 20)),
  subject("gunzip name", "core/zip/inflate.ts", (text) =>
    gunzip(Uint8Array.of(31, 139, 8, 8, 0, 0, 0, 0, 0, 3, ...encodeText(text.replaceAll("\0", "x"))), 10 << 20),
  ),
  subject("gunzip members", "core/zip/inflate.ts", (text) => gunzip(repeatGzipMembers(text), 10 << 20)),
  subject("diffFiles", "core/skills/history.ts", (text, other) => diffFiles({ a: text }, { a: other })),
  subject("patchText", ["core/patch/patch.ts", "core/patch/patch-search.ts"], (text, other) =>
    patchText(text, { oldString: other, newString: text.slice(1), replaceAll: true }),
  ),
  subject("patchText passage", ["core/patch/patch-search.ts", "core/patch/patch-similar.ts"], (text, other) =>
    patchText(text, { oldString: other.slice(0, 2_000), newString: "x", replaceAll: false }),
  ),
  subject("readEscapes", "core/patch/patch-escapes.ts", (text, other) => readEscapes(text, other)),
  subject("parseInvocation", "core/skills/invocation.ts", (text) =>
    parseInvocation(`/a ${text}`, { isSkill: (slug) => slug === "a", isCommand: () => false, nearestCommand }),
  ),
  subject("pickRecalled", "core/skills/search/recall.ts", (text, other) => pickRecalled(createSkillLines(other), text)),
  subject("rankSkills", "core/skills/search/relevance.ts", (text, other) => rankSkills(createSkillLines(other), text)),
  subject("renderSkillIndex", "core/skills/index-block.ts", (text, other) =>
    renderSkillIndex(createSkillLines(other), 300, text),
  ),
  subject("nearestNeighbours", "core/skills/search/similarity.ts", (text, other) =>
    nearestNeighbours([{ name: NAME, description: text }], { name: "other" as SkillName, description: other }),
  ),
  subject("compareBodies", "core/skills/search/body-similarity.ts", (text, other) =>
    compareBodies(readBodyTerms(text), [readBodyTerms(other)]),
  ),
  subject("readBodyWords", "core/skills/search/skill-words.ts", (text) => readBodyWords(wrapAsSkill(text))),
  subject("termsOf", "core/skills/search/words.ts", (text) => [termsOf(text), wordsOf(text)]),
  ...["sh", "py", "json", "yaml"].map((ending) =>
    subject(`findSyntaxError of .${ending}`, "core/checks/syntax.ts", (text) =>
      findSyntaxError(`scripts/x.${ending}`, text, NO_SANDBOX),
    ),
  ),
  subject("withoutTexts", "core/skills/search/text-pieces.ts", (text, other) => {
    const pieces = toPieces([text]);
    return withoutTexts([other], (one) => holdsAny(one, pieces));
  }),
  subject("createPurgedMatcher", "core/archive/messages/purged-texts.ts", (text, other) =>
    createPurgedMatcher(hashPieces(toPieces([text]), "salt"), "salt")(other),
  ),
  subject("haveSamePolarity", "core/skills/search/polarity-words.ts", (text, other) => haveSamePolarity(text, other)),
  // Learning.
  subject(
    "judgeMessage",
    ["judge-message.ts", "read-message.ts", "weigh-message.ts", "weigh-phrase.ts"].map(
      (file) => `core/learning/observe/${file}`,
    ),
    (text, other) => [
      judgeMessage(text, { asked: true }),
      judgeMessage(text, { request: other, answer: text, calls: [callWith(other)] }),
    ],
  ),
  subject(
    "findTriedWords",
    ["tried-words.ts", "call-words.ts", "refusals.ts"].map((file) => `core/learning/observe/${file}`),
    (text, other) => {
      const share = Math.ceil(text.length / MAX_CALLS);
      const calls = linesIn(other).map((line, n) => ({
        ...callWith(line),
        ...{
          n: n + 2,
          step: n,
          failed: n % 2 === 0,
          parts: [{ source: "content", text: text.slice(n * share, (n + 1) * share) }] as ToolEntry["parts"],
        },
      }));
      const words = wordsIn(text);
      return findTriedWords(calls, [
        {
          skill: NAME,
          text: "a".repeat(64) as Sha256,
          entry: 1,
          piece: text,
          words,
          failedWords: [...words].slice(0, 5),
        },
      ]);
    },
  ),
  subject("removeRefuted", ["core/learning/evidence/refuted.ts", "core/learning/markdown.ts"], (text, other) =>
    removeRefutedSentences({ files: { "SKILL.md": text } }, [...wordsIn(other)].slice(0, 5)),
  ),
  subject("namesOtherValue", ["core/learning/observe/other-value.ts", "core/learning/option-pairs.ts"], (text, other) =>
    namesOtherValue(text, [callWith(other)]),
  ),
  subject("readVerdicts", "core/learning/review/verdicts.ts", (text, other) =>
    readVerdicts({ entries: [createUserEntry(other)] }, `verdict 1: failure "${text}"\n${text}`),
  ),
  subject("choicesIn", "core/learning/option-pairs.ts", (text) => [pairsIn(text), choicesIn(text)]),
  subject("taskOf", "core/learning/requests.ts", (text) => [taskOf(text), contentWords(text), mayComeAgain(text)]),
  subject("areSimilarWords", "core/learning/requests.ts", (text, other) =>
    areSimilarWords(contentWords(text), contentWords(other)),
  ),
  subject(
    "createGrounding",
    ["core/learning/review/rules/grounding.ts", "core/learning/markdown.ts"],
    (text, other) => {
      const calls = other.split(/[\n.]/).map((line, n) => ({ ...callWith(line), n, failed: n % 2 === 0 }));
      const check = createGrounding({ entries: calls, trigger: "value" });
      return [check({ prose: text.split("\n"), code: [] }, ""), check({ prose: [], code: text.split("\n") }, other)];
    },
  ),
  subject("createClaims", "core/learning/review/rules/claims.ts", (text) => createClaims(["awk", "the_tool"])([text])),
  subject("checkStory", "core/learning/review/rules/one-off.ts", (text, other) =>
    checkStory(
      { prose: text.split("\n"), code: [] },
      createSessionWords({ entries: [createUserEntry(other), createReadEntry(text, 2)] }),
    ),
  ),
  subject("addedText", ["core/learning/added-text.ts", "core/learning/markdown.ts"], (text, other) =>
    addedText(wrapAsFiles(other), wrapAsFiles(text)),
  ),
  subject("itemsOf", "core/learning/skill-items.ts", (text) => itemsOf(NAME, wrapAsFiles(text))),
  subject("isKept", "core/learning/skill-items.ts", (text, other) => isKept(text, [other])),
  subject("meaningOf", TAINT, (text) => meaningOf(text)),
  subject("findTaint", TAINT, (text, other) => findTaint(text, createRecord(other))),
  subject("findTaintedLoss", TAINT, (text, other) => findTaintedLoss(text.split("\n"), createRecord(other))),
  subject("destinationsIn", TAINT, (text) => [destinationsIn(text), numbersIn(toSearchable(text))]),
  subject("sentencesOfFile", TAINT, (text) => {
    const found = sentencesOfFile("SKILL.md", text);
    return [removeSentences(text, found), sentencesIn(text)];
  }),
  subject("compareLines", TAINT, (text, other) => compareLines(text.split("\n"), other.split("\n"))),
  subject("proseLines", TAINT, (text) => proseLines(wrapAsFiles(text))),
  subject("toPlain of a result", TAINT, (text) => [toPlainText(text), stringsIn(text)]),
  subject("termsIn", TAINT, (text) => termsIn(foldText(text))),
  subject("SessionRecord", TAINT, (text) => createRecord(text)),
  subject("isTainted", TAINT, (text, other) => createSessionTaint(() => [createReadEntry(text)]).isTainted(other)),
  subject("holdSkill", TAINT, (text, other) =>
    createReadTaint("The page says so.").holdSkill({
      ...WRITE,
      before: createSnapshot(text),
      after: wrapAsFiles(other),
    }),
  ),
  subject("holdSkill new", TAINT, (text, other) =>
    createReadTaint(other).holdSkill({ ...WRITE, before: null, after: wrapAsFiles(text) }),
  ),
  subject("holdFacts", TAINT, (text, other) =>
    createReadTaint("The page says so.").holdFacts({ ...WRITE, facts: text.split("\n"), gone: other.split("\n") }),
  ),
  subject("undecidedIn", TAINT, (text, other) =>
    createReadTaint(other).undecidedIn([{ path: "SKILL.md", text }], MAX_ASKED),
  ),
  subject("taintedPieces", TAINT, (text, other) =>
    taintedPieces([createReadEntry(other), createAnswerEntry(text, 2)], { said: new Set([2]), shown: [] }),
  ),
  // Memory.
  subject("scrub", "core/memory/scrub.ts", (text) => scrub(text)),
  subject("toQuery", "core/memory/recall.ts", (text) => [toQuery(text), isTrivial(text)]),
  subject("toBullets", "core/memory/recall.ts", (text) => toBullets(text.split("\n")).map(hashBullet)),
  subject("parseFact", "core/memory/rules.ts", (text) => [normaliseFact(text), parseFact(text)]),
  subject("scanFact", SCANNER, (text) => scanFact(text, "foreground")),
  // Conversations.
  subject("parseSessionCommand", "core/commands/parse-command.ts", (text) => parseSessionCommand(`/refine ${text}`)),
  subject("toTitle", "core/session/turn/title.ts", (text) => toTitle(text)),
  subject("renderTitleRequest", "core/prompts/title.ts", (text) => renderTitleRequest(text, text, WHOLE)),
  subject("renderForModel", "core/agent/tool-result.ts", (text) => renderForModel([content(JSON.stringify({ text }))])),
  subject("readRendered", "core/agent/tool-result.ts", (text) => readRendered(text)),
  subject("renderStaticSummary", "core/agent/compaction/compaction-summary.ts", (text) =>
    renderStaticSummary(createSummaryInput(text)),
  ),
  subject("renderSummaryRequest", "core/agent/compaction/compaction-summary.ts", (text) =>
    renderSummaryRequest(createSummaryInput(text), 2_000, 400_000),
  ),
  subject("pruneMessages", "core/agent/compaction/compaction-prune.ts", (text) => pruneMessages(createMessages(text))),
  subject("headAndTail", "core/tools/clip.ts", (text) => headAndTail(text, 20_000)),
  subject("describeMissing", "core/tools/files/nearest-paths.ts", (text, other) =>
    describeMissing(text, other.match(/[^]{1,200}/g) ?? []),
  ),
  // Providers.
  subject("readEvents", "core/models/stream/sse.ts", (text) => ignore(readAll(text))),
  subject("readErrorBody", "core/models/failures/error-reply.ts", (text) => [
    readErrorBody(parseBody(text)),
    readWaitInWords(text),
  ]),
  subject("failureOfReply", ["core/models/failures/failure-rules.ts", "core/models/failures/failures.ts"], (text) =>
    readReplyFailure({ provider: "openai", status: 400, codes: [], message: text }, ["sk-secret-secret"]),
  ),
  subject("redact", "core/models/failures/failures.ts", (text) => redact(text, ["sk-secret-secret"])),
  subject("toStorableJson", "core/models/stream/storable-answer.ts", (text) => toStorableJson({ text, list: [text] })),
  subject("parseArguments", "core/models/wires/wire-calls.ts", (text) => parseArguments(`{"a":"${text}`)),
  subject(
    "readAdvice",
    [
      "prose/text",
      "prose/code",
      "prose/dates",
      "prose/examples",
      "prose/missing",
      "prose/units",
      "prose/phrases",
      "prose/dialogue",
      "prose/prose",
    ].map((file) => `core/models/rehearsal/${file}.ts`),
    (text) => readAdvice(text),
  ),
  subject("listedSkills", "core/models/rehearsal/request.ts", (text) =>
    listedSkills(`<available_skills>${text}</available_skills>`),
  ),
  // Clients.
  subject("parseEventStream", "cli/events.ts", (text) => ignore(drain(parseEventStream(createTextStream(text))))),
  subject("parseOrder", "cli/converse.ts", (text) => parseOrder(text)),
  subject("terminal output", "cli/output/plain-text.ts", (text) => [toTerminalPlain(text), toOneLine(text)]),
];

function createSummaryInput(text: string): SummaryInput {
  return { gap: createMessages(text), previous: text, focus: text, dayOf: () => "2026-01-01" };
}

function repeatGzipMembers(text: string): Uint8Array {
  const member = gzipSync(encodeText(text.slice(0, 20)));
  const all = new Uint8Array(Math.floor(text.length / member.length) * member.length);
  for (let at = 0; at < all.length; at += member.length) all.set(member, at);
  return all;
}

/** A single project file, written by the person. */
function createWorkspace(text: string): Workspace {
  const bytes = encodeText(text.replaceAll("\0", " "));
  return {
    namesIn: (folder: string) => (folder === "." ? ["AGENTS.md"] : []),
    statFile: () => ({ size: bytes.length, writer: "principal" }),
    read: () => bytes,
  } as unknown as Workspace;
}
