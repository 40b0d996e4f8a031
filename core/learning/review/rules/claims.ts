// Refuses claims that soon become untrue: that a tool does not work or cannot do something, that a program was missing, that a call
// failed once. A later agent that reads such a claim does not even try. A sentence with a condition or a remedy is a lesson, and
// passes. Called for what a review or a curation adds. Pure.
import { clip } from "../../../clip.ts";
import { type Failure, err } from "../../../errors.ts";

/** Nouns for what an agent works with. */
const TOOLS =
  "tools?|commands?|shell|terminal|browser|sandbox|interpreter|api|endpoint|server|service|plugin|extension|integration|connector|network|internet|internet access|web search|search tool|file system|filesystem";
const NAMED = "`[^`\\n]{1,60}`|\\b[a-z]{1,30}_[a-z_]{1,40}";

const NOT = "(?:does not|doesn['’]t|do not|don['’]t|did not|didn['’]t|will not|won['’]t|never|no longer)";
const CANNOT = "(?:cannot|can['’]t|can not|could not|couldn['’]t)";
const BE = "(?:is|are|was|were|seems?|seems to be|appears to be|remains?|has been)";
const HOW = "(?:(?:currently|still|completely|simply|just|always|permanently|generally|often|known to be) )*";

/** Claims about a state, as if it were permanent. */
const FAULTS = [
  `${NOT} (?:work|function|respond|start|load)s?`,
  `${BE} ${HOW}(?:broken|unavailable|not available|not working|not usable|not functional|unusable|useless|down|offline|dead|unreliable|inaccessible|unreachable|non-?functional|out of order)`,
  `isn['’]t (?:working|available|usable|functional)`,
  `aren['’]t (?:working|available|usable|functional)`,
  `${CANNOT} be (?:used|reached|run|accessed|relied on|trusted)`,
  "always (?:fails?|crash(?:es)?|errors?|times? out)",
  "(?:fails?|crash(?:es)?) (?:always|every time)",
];
/** Claims about an ability. */
const LIMITS = [
  CANNOT,
  "(?:is|are) (?:unable to|not able to|incapable of|not capable of)",
  "(?:does not|doesn['’]t|do not|don['’]t) (?:support|allow|handle|have access to|have)",
  "fails? to",
  "(?:has|have) no access to",
];
/** Claims about the environment. */
const MISSING = [
  `${BE} ${HOW}(?:not installed|not found|not configured|not set up|not on the path|missing)`,
  `(?:isn['’]t|aren['’]t|wasn['’]t|weren['’]t) (?:installed|configured|set up|on the path)`,
];
/** Claims about one moment in the past. */
const MOMENTS =
  /\b(?:timed out|was rate[- ]?limited|(?:hit|reached|exceeded) (?:a|the) rate limit|(?:returned|answered|failed) (?:with )?(?:an? )?(?:http )?(?:429|50[0-4])\b|was (?:temporarily |briefly )?(?:overloaded|unreachable|unavailable)|(?:connection|request) was (?:reset|refused|dropped)|(?:worked|succeeded|went through|passed) (?:on|at|after) (?:the |a )?(?:retry|second|third|next|another)\b|flaked)/iu;

/** The sentence has a condition, or is a question. */
const CONDITIONED =
  /\b(?:if|when|whenever|unless|until|once|while|without|where|wherever|whether|in case|otherwise|after|before|except|only|as long as)\b|\?\s*$/iu;
/** A scope after the claim, such as "on Windows". "Here" and "this machine" limit nothing: they are everything the agent has. */
const SCOPED =
  /^[^.;]{0,60}?\b(?:on|with|for|in|under|inside|against|across|over|through|between|behind|to)\s+(?!(?:this|these|here|our|my|its|the|any|all|general|place)\b)/iu;
/** A remedy: what to do when the fault occurs. */
const REMEDY =
  /(?:^|[;:,.(—–-]\s*|\b(?:so|then|and|or|but|always|please|must|should)\s+)(?:use|pass|add|set|run|try|write|call|install|switch|prefer|give|quote|name|convert|replace|read|open|check|ask|pipe|split|escape|make|put|retry|export|start|wait)\b|\b(?:instead|using|rather|via|by hand|workaround|needs?|must)\b|→|->/iu;
const RETRY = /(?<!\b(?:on|the|a|one|after|at) )\b(?:retry|wait|repeat|back ?off|try again|ask again|again)\b/iu;
/** A quotation is not a claim of the text itself. */
const QUOTED = /"[^"\n]{1,200}"|“[^“”\n]{1,200}”|(?<=\s)'[^'\n]{2,200}'(?=[\s.,;:)])/gu;

/**
 * Returns a check of paragraphs, which fails on the first claim that may not be kept. Failures: `tool_claim`,
 * `passing_failure`. `programs`: tools and commands by name, such as the session has called.
 */
export function createClaims(programs: Iterable<string>): CheckClaims {
  const names = [...programs].map((name) => name.replace(/[^\w.+-]/g, "")).filter((name) => name.length > 1);
  const known = names.length > 0 ? `|\\b(?:${names.map((name) => name.replace(/[.+]/g, "\\$&")).join("|")})\\b` : "";
  if (latest?.known !== known) latest = { known, check: compileClaims(known) };
  return latest.check;
}

type CheckClaims = (paragraphs: string[]) => Failure | null;
/** A cache of one, because compiling the patterns costs more than most checks. */
let latest: { known: string; check: CheckClaims } | null = null;

/** `known`: the alternatives that match a program of the session, or empty. */
function compileClaims(known: string): CheckClaims {
  const subject = `(?:${NAMED}|\\b(?:${TOOLS})\\b${known})`;
  const claim = (predicates: string[]) =>
    new RegExp(
      `${subject}(?: (?:tool|command|program))?(?: (?:here|itself|currently|just|simply|also|really))? (?:${predicates.join("|")})\\b`,
      "iu",
    );
  const [fault, limit, missing] = [claim(FAULTS), claim(LIMITS), claim(MISSING)];
  // "Leave the browser alone: it is broken."
  const echoed = new RegExp(
    `${subject}[^.]{0,80}?[:,;(—–] ?(?:because |as |since |for )?(?:it|they) (?:${FAULTS.join("|")})\\b`,
    "iu",
  );

  function checkSentence(sentence: string): Failure | null {
    const plain = sentence.replace(QUOTED, "…");
    if (CONDITIONED.test(plain)) return null;
    if (isUnscoped(fault.exec(plain) ?? echoed.exec(plain), plain)) return refuseClaim(sentence);
    // A remedy excuses a claim about an ability or the environment, but not one about a state or a moment.
    const hasRemedy = REMEDY.test(plain);
    if (!hasRemedy && isUnscoped(limit.exec(plain) ?? missing.exec(plain), plain)) return refuseClaim(sentence);
    return MOMENTS.test(plain) && !RETRY.test(plain) ? refuseMoment(sentence) : null;
  }

  return (paragraphs) => {
    for (const paragraph of paragraphs) {
      if (paragraph.startsWith("|")) continue; // rows of a table mostly list things
      const sentences = paragraph.split(/(?<=[.!?])\s+(?=["'“(]?[\p{Lu}`])/u);
      for (const [n, sentence] of sentences.entries()) {
        // The remedy may be in the next sentence.
        const failure = checkSentence(sentence);
        const isAnswered = failure && !fault.test(sentence) && REMEDY.test(sentences[n + 1] ?? "");
        if (failure && !isAnswered) return failure;
      }
    }
    return null;
  };
}

/** Whether the claim was found and no scope follows it. */
function isUnscoped(claim: RegExpExecArray | null, sentence: string): boolean {
  return claim !== null && !SCOPED.test(sentence.slice(claim.index + claim[0].length));
}

function refuseClaim(sentence: string): Failure {
  return err(
    "tool_claim",
    `${quote(sentence)} says that a tool does not work or cannot do something, which will keep the agent from trying ` +
      "long after it is untrue: say under which condition it fails and what to do then, or leave it out.",
  ).failure;
}

function refuseMoment(sentence: string): Failure {
  return err(
    "passing_failure",
    `${quote(sentence)} reports a failure that passed: say what to do when it comes again, such as how often and how ` +
      "long to wait, or leave it out.",
  ).failure;
}

const MAX_QUOTE_CHARS = 120;

function quote(sentence: string): string {
  return `"${clip(sentence.trim(), MAX_QUOTE_CHARS)}"`;
}
