// Sentences of what was read that ask for a write: to remember something, to put it into memory or a skill, to do it from now
// on. Found to be looked at more closely, so it finds too much rather than too little. Called by the taint rules. Pure.
import { scanText } from "../../skills/scanner.ts";

/** Words with nothing of a word on either side, of any language. */
function words(...forms: string[]): RegExp {
  return new RegExp(`(?<![\\p{L}\\p{N}])(?:${forms.join("|")})(?![\\p{L}\\p{N}])`, "u");
}

const KEEP = words(
  "remember|memori[sz]e|(?:keep|bear) (?:this |that |it |in )*mind|(?:make|take) (?:a |an )?note|note(?= that|:)|noted",
  "write (?:this|it|that|down)|jot|sav(?:e|ed|ing)|stor(?:e|ed|ing)|record(?:ed)?|persist(?:ed)?|retain|add(?:ed)?|append(?:ed)?",
  "put|learn(?:ed)?|teach|updat(?:e|ed)|includ(?:e|ed)|commit|document|capture|carry|keep|kept",
  "merken?|speicher\\p{L}*|notier\\p{L}*|vermerk\\p{L}*|vergiss|behalte\\p{L}*",
  "souviens|souvenez|m[ée]moris\\p{L}*|enregistr\\p{L}*|retiens|retenez|retenir",
  "recuerd\\p{L}*|memoriz\\p{L}*|guard[ae]\\p{L}*|anot[ae]\\p{L}*|apunt[ae]\\p{L}*|ricorda\\p{L}*|salva\\p{L}*|lembr\\p{L}*|onthoud\\p{L}*",
);
const WHERE = words(
  "memor(?:y|ies)|skills?|notes?|notebook|knowledge|lessons?|playbooks?|guidance|standing|preferences|agents?\\.md|soul\\.md|claude\\.md",
  "long[- ]?term|permanent(?:ly)?|future|next time|next (?:task|run|session)s?|later (?:session|task|run)s?|from (?:now|here) on(?:wards?)?",
  "from this (?:point|moment|day)|hereafter|henceforth|going forward|all (?:later|future|coming|further)|for good",
  "ab (?:jetzt|sofort)|k[üu]nftig\\p{L}*|in zukunft|dauerhaft|ged[äa]chtnis|fertigkeit\\p{L}*",
  "d[ée]sormais|dor[ée]navant|prochaine?s?|m[ée]moire|comp[ée]tence|a partir de ahora|memoria|habilidad\\p{L}*",
);
/** What only who keeps things has. */
const YOURS = words(
  "(?:your|its|(?:the )?(?:agent|assistant|model|reviewer)['’]?s) (?:own )?(?:\\w+ )?(?:memor(?:y|ies)|skills?|notes|notebook|lessons?|playbooks?|library|knowledge(?: base)?|long[- ]?term|standing|instructions|system prompt)",
  "skill (?:library|file|store)s?",
  "(?:dein|deine[rnms]?|ihre[rnms]?) (?:ged[äa]chtnis|fertigkeit(?:en)?|notizen|anweisungen|skills?)",
  "(?:ta|votre|tu|su) (?:m[ée]moire|memoria)|(?:tes|vos|tus|sus) (?:comp[ée]tences|notes|habilidades|notas)",
);
/** Said to whoever reads it as an agent. */
const ADDRESSED = words(
  "assistants?|agents?|ai|a\\.i\\.|llms?|language models?|the model|chatbots?|copilot|reviewers?|talaria|claude|chatgpt|gpt|automation|bots?",
  "whoever (?:reads|reviews|processes|runs)|(?:any|every)(?:one|body) (?:who )?(?:reading|reads|reviewing|reviews|processing)|system (?:note|message|notice|prompt)",
  "ki|k\\.i\\.|ki-\\p{L}+|assistent(?:en|in|innen)?|agenten?|sprachmodelle?n?|automaten|wer [^.]{0,40}(?:liest|verarbeitet|auswertet|bearbeitet|zusammenfasst)|maschinell(?: |\\p{L})*",
  "ia|assistante?s?|robots?|mod[èe]les? de langage|agentes?|asistentes?|modelos? de lenguaje|agenti|assistenti",
);
const ORDER = words(
  "must|should|shall|ought|has to|have to|need(?:s)? to|(?:is|are) (?:required|instructed|expected|asked|told|to)|please|always|never|do not|don['’]t",
  "make sure|be sure|ensure|important|attention|note|use|send|add|run|forward|include|follow|treat|consider|drop|remove|delete|forget|shorten|applies|apply|grateful",
  "muss|m[üu]ssen|soll(?:en|te|ten)?|bitte|immer|stets|nie|niemals|d[üu]rfen|darf|ha(?:t|ben) [^.]{0,60} ?zu \\p{L}+|gilt|gelten|beachten?|hinweis\\p{L}*|verwende\\p{L}*",
  "doit|doivent|devez|toujours|jamais|veuillez|il faut|consignes?|deben?|siempre|nunca|por favor|hay que|dev(?:e|em|ono)|sempre|mai",
  "moet(?:en)?|altijd|nooit|let op|graag|m[åa]ste|alltid|aldrig|musz?[ąa]|zawsze|nigdy|prosz[ęe]",
);
const STANDING = words(
  "from (?:now|here) on(?:wards?)?|from this (?:point|moment) on|henceforth|hereafter|going forward|in (?:all )?future(?: (?:sessions?|tasks?|runs?))?",
  "next time|every time you|whenever you|each time you|for all (?:later|future|coming)|worth (?:keeping|remembering|noting|saving|writing)",
  "ab (?:jetzt|sofort)|k[üu]nftig|in zukunft|d[ée]sormais|dor[ée]navant|a partir de ahora|d['’]ora in poi",
);
const BEGINS =
  /^[\W_]*(?:(?:please|note|important|hint|reminder|also)\b[\W_]*)*(?:remember|memori[sz]e|keep in mind|take note|merke?\b|souviens|recuerd[ae])\b/;

/** `sentence` in lower case, with what stands around it as `context`. */
export function asksForWrite(sentence: string, context: string): boolean {
  if (BEGINS.test(sentence) || STANDING.test(sentence) || YOURS.test(sentence)) return true;
  // One word is not both: a column called notes asks for nothing.
  if (WHERE.test(sentence.replace(KEEP, " ")) && KEEP.test(sentence)) return true;
  return ADDRESSED.test(sentence) && (ORDER.test(sentence) || KEEP.test(sentence) || KEEP.test(context));
}

/** Of what nobody is to do or to know any more. */
const REVOKES = words(
  "remov\\p{L}*|delet\\p{L}*|drop(?:s|ped|ping)?|discard\\p{L}*|forget|forgotten|obsolete|out ?dated|deprecat\\p{L}*|withdrawn?|abolish\\p{L}*",
  "no longer|any ?more|archiv\\p{L}*|take out|tak(?:e|en) back|stop|do not|don['’]t|not needed|lift(?:ed)?|clean up|tidy|ignore|away with|history|void|waived?|exempt|optional|relaxed",
  "l[öo]sch\\p{L}*|entfern\\p{L}*|vergiss|veraltet\\p{L}*|nicht mehr|aufgehoben|streich\\p{L}*|hinf[äa]llig|entf[äa]ll(?:t|en)|kein\\p{L}*|gestrichen",
  "supprim\\p{L}*|efface\\p{L}*|oubli\\p{L}*|retir\\p{L}*|elimin\\p{L}*|borra\\p{L}*|olvid\\p{L}*|quita\\p{L}*",
);

/** Whether a sentence of content, in lower case, says that something holds no longer. */
export function revokes(sentence: string): boolean {
  return REVOKES.test(sentence);
}

/** Said as a wish, so that who only warns of it does not wish it. */
const WITHDRAWS =
  /^\W*(?:(?:please|also|now|ok|okay|then|and|you (?:can|may|should)|let['’]?s|bitte|jetzt|dann|und|du kannst)\W+)*(?:remove|delete|drop|discard|forget|archive|take (?:out|back)|lift|l[öo]sch(?:e|t)?|entfern(?:e|t)?|vergiss|vergesst|streich(?:e|t)?|supprime[zr]?|oublie[zr]?|elimina|borra|olvida|quita)(?!\p{L})|(?<!\p{L})(?:no longer (?:needed|required|valid|wanted|true|holds|applies)|(?:gilt|stimmt) nicht mehr|nicht mehr n[öo]tig|ne vaut plus|ya no vale)(?!\p{L})/u;

/** Whether a sentence of the person, in lower case, takes something back. */
export function withdraws(sentence: string): boolean {
  return WITHDRAWS.test(sentence);
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
