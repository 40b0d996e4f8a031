// Sentences of what was read that ask for a write: to remember something, to put it into memory or a skill, to do it from now
// on. Found to be looked at more closely, so it finds too much rather than too little. Called by the taint rules. Pure.
import { scanText } from "../skills/scanner.ts";

const KEEP =
  /\b(?:remember|memori[sz]e|(?:keep|bear) (?:this |that |it |in )*mind|(?:make|take) (?:a |an )?note|note(?:d)?|write (?:this|it|that|down)|jot|sav(?:e|ed|ing)|stor(?:e|ed|ing)|record(?:ed)?|persist(?:ed)?|retain|add(?:ed)?|append(?:ed)?|put|learn(?:ed)?|teach|updat(?:e|ed)|includ(?:e|ed)|commit|document|capture|carry|keep|kept|merken?|merke|speicher\w*|notier\w*|vergiss|behalte\w*|souviens|souvenez|m[ée]moris\w*|enregistr\w*|retiens|retenez|retenir|recuerd\w*|memoriz\w*|guard[ae]\w*|anot[ae]\w*|apunt[ae]\w*|ricorda\w*|salva\w*|lembr\w*)\b/;
const WHERE =
  /\b(?:memor(?:y|ies)|skills?|notes?|notebook|knowledge|lessons?|playbooks?|guidance|standing|preferences|agents?\.md|soul\.md|claude\.md|long[- ]?term|permanent(?:ly)?|future|next time|next (?:task|run|session)s?|later (?:session|task|run)s?|from (?:now|here) on(?:wards?)?|from this (?:point|moment|day)|hereafter|henceforth|going forward|all (?:later|future|coming|further)|for good|ab (?:jetzt|sofort)|k[üu]nftig\w*|in zukunft|ged[äa]chtnis|fertigkeit\w*|d[ée]sormais|dor[ée]navant|prochaine?s?|m[ée]moire|comp[ée]tence|a partir de ahora|memoria|habilidad\w*)\b/;
/** What only who keeps things has. */
const YOURS =
  /\b(?:your|its|(?:the )?(?:agent|assistant|model|reviewer)['’]?s) (?:own )?(?:\w+ )?(?:memor(?:y|ies)|skills?|notes|notebook|lessons?|playbooks?|library|knowledge(?: base)?|long[- ]?term|standing|instructions|system prompt)\b|\bskill (?:library|file|store)s?\b/;
/** Said to whoever reads it as an agent. */
const ADDRESSED =
  /\b(?:assistants?|agents?|ai|a\.i\.|llms?|language models?|the model|chatbots?|copilot|reviewers?|talaria|claude|chatgpt|gpt|automation|bots?|whoever (?:reads|reviews|processes|runs)|(?:any|every)(?:one|body) (?:who )?(?:reading|reads|reviewing|reviews|processing)|system (?:note|message|notice|prompt))\b/;
const ORDER =
  /\b(?:must|should|shall|ought|has to|have to|need(?:s)? to|(?:is|are) (?:required|instructed|expected|asked|told|to)|please|always|never|do not|don't|make sure|be sure|ensure|important|attention|note|use|send|add|run|forward|include|follow|treat|consider)\b/;
const STANDING =
  /\b(?:from (?:now|here) on(?:wards?)?|from this (?:point|moment) on|henceforth|hereafter|going forward|in (?:all )?future(?: (?:sessions?|tasks?|runs?))?|next time|every time you|whenever you|each time you|for all (?:later|future|coming) |worth (?:keeping|remembering|noting|saving|writing)|ab (?:jetzt|sofort)|k[üu]nftig|in zukunft|d[ée]sormais|a partir de ahora)\b/;
const BEGINS =
  /^[\W_]*(?:(?:please|note|important|hint|reminder|also)\b[\W_]*)*(?:remember|memori[sz]e|keep in mind|take note|note that|merke?|souviens|recuerd[ae])\b/;

/** `sentence` in lower case, with what stands around it as `context`. */
export function asksForWrite(sentence: string, context: string): boolean {
  if (BEGINS.test(sentence) || STANDING.test(sentence) || YOURS.test(sentence)) return true;
  if (KEEP.test(sentence) && WHERE.test(sentence)) return true;
  return ADDRESSED.test(sentence) && (ORDER.test(sentence) || KEEP.test(sentence) || KEEP.test(context));
}

/** A part that a lesson cites is read by the scanner as well, so far. */
const MAX_SCANNED_CHARS = 40_000;
const ORDERS = new Set([
  "override",
  "persistence",
  "control",
  "poisoning",
  "replication",
  "concealment",
  "exfiltration",
]);

/** Whether a text orders its reader about, in the words of the scanner. */
export function ordersAbout(text: string): boolean {
  const findings = scanText(text.slice(0, MAX_SCANNED_CHARS), "note");
  return findings.some(({ category, severity }) => ORDERS.has(category) && severity !== "low");
}
