// What a person's next message says of the answer before it. Asked by the session behind the turn that the message began.
// Deterministic, for English, German, French and Spanish; made to be sure where it speaks: everything else is `unknown`, which
// says nothing. Pure.
import type { Outcome } from "../../schemas/skill.ts";

export interface MessageVerdict {
  outcome: Outcome;
  /** It complains, and says what would have been right. */
  correction: boolean;
}

/**
 * A verdict stands at the beginning; behind it comes the next task, whose words judge nothing. Behind a complaint, they are
 * taken for what would have been right: a person who complains and goes on seldom changes the subject.
 */
const MAX_SENTENCES = 3;
const MAX_CHARS = 600;
/** With the code and the quotations between them; what is longer is not looked through, in which a pattern could get lost. */
const MAX_READ_CHARS = 6_000;

/** Behind a complaint, a sentence of so many words tells something, in whatever form. */
const MIN_TOLD_WORDS = 4;

/** Patterns of a language, each for whole words of a clause; `right` is looked for in whole sentences. */
interface Words {
  failure: string[];
  success: string[];
  /** Says what would have been right. */
  right: string[];
  /** Words with which something is supposed, told of others, or politely declined. */
  idle: string[];
}

const SUBJECT_EN =
  "(?:that|this|it|which|these|those|(?:the|your|this|that) (?:last |first |whole )?(?:answer|result|output|total|sum|number|file|code|script|format|table|reply|response|summary|text|list|order))";
const BE_EN =
  "(?:'s|'re| is| are| was| were| looks| seems)(?: (?:still|just|all|completely|totally|simply|plain|clearly|also|again))*";

const ENGLISH: Words = {
  failure: [
    String.raw`${SUBJECT_EN}${BE_EN} (?:wrong|incorrect|false|broken|useless|nonsense|too (?:long|short|verbose|wordy|much|complicated|detailed|slow|vague)|not (?:right|correct|true|it|working|good|helpful|what|how|the)|n't (?:right|correct|true|it|working|what|how))`,
    String.raw`${SUBJECT_EN} (?:isn't|aren't|wasn't|weren't) (?:right|correct|true|it|working|good|helpful|what|how)`,
    String.raw`^(?:(?:still|way|far|much|totally|completely|no|nope|sorry|plain|just) )*(?:wrong|incorrect|not quite|not (?:quite )?(?:right|correct|good)|not (?:it|again|working|helpful)|too (?:long|verbose|short|wordy|much|complicated|detailed))(?: (?:again|answer|file|format|number|order|one|result|way|for me))?$`,
    String.raw`${SUBJECT_EN} (?:still |just |also )?(?:did not|didn't|does not|doesn't|do not|don't|won't|never) (?:work|help|run|compile|match|add up|do it|fix)`,
    String.raw`^(?:still |it )?(?:did not|didn't|does not|doesn't|doesnt|didnt) work`,
    String.raw`^(?:${SUBJECT_EN}|still) (?:just |still |has )?(?:failed|fails|crashed|crashes)(?: again)?`,
    String.raw`${SUBJECT_EN} (?:was|were|got|came) (?:just |simply )?(?:refused|rejected|bounced|sent back|returned to me)`,
    String.raw`^you should(?:n't| not)? have \p{L}+`,
    String.raw`^i (?:really |actually )?(?:wanted|meant|asked for) (?:it|this|that|them|only|just)`,
    String.raw`not what i (?:asked|wanted|meant|said|need|needed|had in mind)`,
    String.raw`^(?:please )?(?:stop|quit) (?:\p{L}+ly )?\p{L}+ing`,
    String.raw`(?:do not|don't|never) (?:ever )?do (?:that|this|it) (?:again|anymore|any more)`,
    String.raw`i(?:'ve| have)? (?:already |just |clearly |explicitly )*told you`,
    String.raw`(?:did not|didn't) i (?:tell|ask)(?: you)?`,
    String.raw`^(?:as|like) i (?:already )?(?:said|told you|wrote)`,
    String.raw`^i (?:said|asked for|wanted|meant) .*(?:not|instead of|rather than)`,
    String.raw`^you (?:\p{L}+ly |again |just |still )*(?:forgot|missed|ignored|misread|misunderstood|broke|got (?:it|that|this) wrong|did it wrong|made (?:a|the same) mistake)`,
    String.raw`^you(?:'re| are| were) wrong`,
    String.raw`${SUBJECT_EN} should have (?:been|said|had|used)`,
    String.raw`i (?:do not|don't|hate|really hate|really don't) (?:like|want )?(?:it |that |this )?when you`,
  ],
  success: [
    String.raw`${SUBJECT_EN} (?:now |really |just |all |finally )*(?:worked|works|did it|did the trick|does it|helped|solved it|solved the|fixed it)`,
    String.raw`^(?:it )?(?:works|worked)(?: (?:now|great|perfectly|fine|well|like a charm))?$`,
    String.raw`^(?:${SUBJECT_EN} )?(?:looks|is looking) (?:very |really |all )?(?:good|great|right|correct|perfect|fine)(?: (?:now|to me))?$`,
    String.raw`^lgtm$`,
    String.raw`^(?:(?:yes|ok|okay|thanks|thank you|ah|oh|wow|great|nice|simply|absolutely|just) )*(?:perfect|excellent|brilliant|awesome|wonderful|fantastic|amazing|exactly(?: (?:that|right|it))?|exactly what i (?:wanted|needed|meant|asked for)|spot on|correct|great(?: (?:job|work|answer|stuff))|good (?:job|work|answer)|nice work|well done|great|nice|lovely)(?: (?:thanks|thank you|now|job|work))?$`,
    String.raw`${SUBJECT_EN}(?:'s| is| was| looks) (?:now |just |exactly |absolutely |all )*(?:perfect|right|correct|great|excellent|exactly|what i (?:wanted|needed|meant|asked for)|very (?:helpful|good))`,
  ],
  right: [
    String.raw`(?:should|must|has to|have to|needs? to|ought to|supposed to)`,
    String.raw`(?:instead|rather|actually|always|never|stop|from now on|next time)`,
    String.raw`(?:^|[,;:] |please |just |to |and )(?:use|write|make|keep|put|give|call|take|leave|sort|format|show|say|read|count|round|start|begin|answer)`,
    String.raw`(?:it's|it is|they are|they're)(?! (?:not|still|wrong|too|just|broken|useless|nonsense|incorrect))`,
    String.raw`(?<!what )(?:i|we) (?:want|wanted|need|needed|meant|mean|prefer|asked for|told you|said)`,
    String.raw`(?:do not|don't|no more)`,
    String.raw`too (?:long|short|verbose|wordy|detailed|complicated)`,
    String.raw`the (?:right|correct|real|actual)`,
    String.raw`the (?:\p{L}+ ){1,3}(?:is|are|was|were)(?! (?:not|still|wrong|too|just|broken|incorrect|refused|rejected|bounced|sent back|returned))`,
  ],
  idle: [
    String.raw`^(?:if|when|whenever|in case|unless|suppose|whether|check|see|tell me|find|explain|why)`,
    String.raw`^(?:no|nope),? (?:thanks|thank you|problem|problems|worries|need|hurry|idea|matter|rush|questions?)`,
    String.raw`^(?:he|she|they|\p{L}+ (?:says|said|thinks|claims|told me))`,
  ],
};

const SUBJECT_DE =
  "(?:das|dies|es|die (?:antwort|summe|ausgabe|datei|tabelle|liste|reihenfolge|zusammenfassung)|deine antwort|das (?:ergebnis|format|skript)|der (?:code|text))";

const GERMAN: Words = {
  failure: [
    String.raw`${SUBJECT_DE} (?:ist|war|sind|stimmt|sieht|passt) (?:\p{L}+ )?(?:falsch|nicht (?:richtig|korrekt|das|was|so|gut)|kaputt|unsinn|quatsch|nicht|viel zu (?:lang|kurz)|zu (?:lang|kurz|ausführlich|kompliziert))`,
    String.raw`^(?:leider |immer noch |ganz |völlig |viel )*(?:falsch|nicht (?:richtig|korrekt|gut)|stimmt (?:so )?nicht|zu (?:lang|kurz|ausführlich|kompliziert))$`,
    String.raw`(?:hat|tut|funktioniert|klappt|geht|läuft) (?:\p{L}+ )?(?:nicht (?:funktioniert|geklappt|geholfen)|immer noch nicht|so nicht|leider nicht)`,
    String.raw`${SUBJECT_DE} (?:funktioniert|klappt|geht|läuft|stimmt|passt|hilft) (?:\p{L}+ )?nicht`,
    String.raw`nicht (?:das )?was ich (?:wollte|meinte|gesagt|gefragt|gesucht|gebeten)`,
    String.raw`^(?:bitte )?hör(?:e|en sie)? (?:bitte )?auf`,
    String.raw`(?:ich )?hab(?:e)? (?:ich )?(?:dir|ihnen|es dir) (?:doch |schon |bereits )+\p{L}*`,
    String.raw`^wie (?:schon |bereits )?gesagt`,
    String.raw`^du hast (?:\p{L}+ )*(?:vergessen|übersehen|ignoriert|missverstanden|falsch \p{L}+)$`,
    String.raw`mach (?:das|so etwas|sowas) (?:bitte )?(?:nie|nicht) (?:wieder|mehr|noch einmal)`,
  ],
  success: [
    String.raw`${SUBJECT_DE} (?:hat|funktioniert|klappt|geht|läuft|stimmt|passt)(?: (?:jetzt|so|nun|alles|super|prima|gut|genau))*(?: (?:funktioniert|geklappt|geholfen))?$`,
    String.raw`(?:hat|es) (?:jetzt |gut |super |prima )*(?:funktioniert|geklappt|geholfen)$`,
    String.raw`^(?:(?:ja|ok|danke|vielen dank|super|sehr|ganz|einfach) )*(?:perfekt|super|prima|ausgezeichnet|hervorragend|genau(?: (?:so|richtig|das))?|genau was ich (?:wollte|brauchte)|richtig|sehr gut|gut gemacht|klasse|toll|großartig|wunderbar)(?: (?:danke|gemacht))?$`,
    String.raw`^(?:${SUBJECT_DE} )?sieht (?:jetzt |sehr )*(?:gut|super|richtig) aus$`,
    String.raw`${SUBJECT_DE} ist (?:jetzt |genau |sehr |so )*(?:richtig|perfekt|korrekt|gut|super|was ich (?:wollte|brauchte))`,
  ],
  right: [
    String.raw`(?:sollte|sollten|soll|muss|müsste|müssen|stattdessen|statt|lieber|eigentlich|immer|nie|niemals|in zukunft|nächstes mal|sondern)`,
    String.raw`(?:nimm|verwende|benutze|schreib|schreibe|mach|mache|gib|lass|nenne|sortiere|runde|zeig|zeige|antworte)`,
    String.raw`(?<!was )(?:ich|wir) (?:will|wollte|wollten|brauche|meinte|meine|möchte|hatte|habe)`,
    String.raw`zu (?:lang|kurz|ausführlich|kompliziert)`,
    String.raw`(?:der|die|das) (?:\p{L}+ ){1,3}(?:ist|sind|war|waren)(?! (?:nicht|falsch|noch|zu|kaputt|leider))`,
    String.raw`es (?:ist|sind|heißt)(?! (?:nicht|falsch|noch|zu))`,
  ],
  idle: [
    String.raw`^(?:wenn|falls|sofern|ob|prüfe|prüf|finde|erkläre|warum|sag mir)`,
    String.raw`^nein,? (?:danke|kein problem|keine)`,
    String.raw`^(?:er|sie|\p{L}+ (?:sagt|meint|behauptet))`,
  ],
};

const SUBJECT_FR =
  "(?:ça|ca|cela|c'|ceci|ce|la réponse|ta réponse|votre réponse|le résultat|le total|le fichier|le code|le format|la liste)";

const FRENCH: Words = {
  failure: [
    String.raw`${SUBJECT_FR} ?(?:n')?(?:est|était|sont) (?:\p{L}+ )?(?:faux|fausse|incorrect|incorrecte|trop (?:long|longue|court|courte|compliqué)|pas (?:ça|bon|bonne|juste|correct|correcte|ce que))`,
    String.raw`^(?:toujours |encore |non |complètement )*(?:faux|incorrect|pas (?:bon|juste|correct)|trop (?:long|court|compliqué))$`,
    String.raw`(?:ça|ca|cela) (?:ne |n'a )?(?:marche|fonctionne|aide|pas)(?: (?:toujours |encore )?(?:pas|marché|fonctionné|aidé))`,
    String.raw`pas ce que (?:je|j'ai) ?(?:voulais|demandais|demandé|dit|voulu)`,
    String.raw`^arrête(?:z)? (?:de|d')`,
    String.raw`(?:je (?:te|vous) l'ai|je (?:t'|vous )ai) (?:déjà )?dit`,
    String.raw`^(?:tu as|vous avez) (?:\p{L}+ )?(?:oublié|ignoré|raté|mal compris)`,
  ],
  success: [
    String.raw`^(?:(?:oui|ok|merci|super|très) )*(?:parfait|parfaite|excellent|excellente|génial|exactement|très bien|bravo|bien joué|c'est (?:parfait|exactement|bon|juste|correct|ça))(?: (?:merci|ça|ce que je voulais))?`,
    String.raw`(?:ça|ca|cela) (?:a (?:bien )?)?(?:marche|fonctionne|marché|fonctionné|aidé)(?: (?:bien|maintenant|parfaitement|très bien))?$`,
  ],
  right: [
    String.raw`(?:il faut|il fallait|il faudrait|devrait|doit|plutôt|au lieu|à la place|toujours|jamais|désormais|la prochaine fois)`,
    String.raw`(?:utilise|utilisez|écris|écrivez|mets|mettez|fais|faites|donne|donnez|prends|prenez|réponds)`,
    String.raw`(?<!que )(?:je voulais|je veux|j'ai demandé|je préfère|j'ai besoin)`,
    String.raw`trop (?:long|longue|court|courte|compliqué)`,
    String.raw`(?:le|la|les) (?:\p{L}+ ){1,3}(?:est|sont|était)(?! (?:pas|faux|fausse|trop|incorrect))`,
  ],
  idle: [
    String.raw`^(?:s'|si|quand|vérifie|trouve|explique|pourquoi|dis-moi)`,
    String.raw`^non,? (?:merci|pas de problème)`,
  ],
};

const SUBJECT_ES =
  "(?:eso|esto|la respuesta|tu respuesta|su respuesta|el resultado|el total|el archivo|el código|el formato|la lista)";

const SPANISH: Words = {
  failure: [
    String.raw`(?:${SUBJECT_ES} )?(?:está|es|estaba|son) (?:\p{L}+ )?(?:mal|incorrecto|incorrecta|equivocado|equivocada|falso|demasiado (?:largo|larga|corto|corta|complicado))(?!\p{L})`,
    String.raw`(?:${SUBJECT_ES} )?no (?:está bien|es (?:correcto|correcta|eso|así|lo que))`,
    String.raw`^(?:todavía |sigue |muy |no )*(?:mal|incorrecto|incorrecta|demasiado (?:largo|corto|complicado))$`,
    String.raw`(?:${SUBJECT_ES} )?(?:sigue sin|todavía no|no) (?:funciona|funcionó|ha funcionado|funcionar|sirve|sirvió|ayudó)`,
    String.raw`no es lo que (?:pedí|quería|dije|te pedí|necesitaba)`,
    String.raw`^(?:por favor )?deja(?:d|n)? de`,
    String.raw`(?:ya )?te (?:lo )?(?:he dicho|dije|había dicho)`,
    String.raw`^(?:has|te has) (?:\p{L}+ )?(?:olvidado|ignorado|equivocado|entendido mal)`,
  ],
  success: [
    String.raw`^(?:(?:sí|ok|gracias|muy|genial) )*(?:perfecto|perfecta|excelente|genial|exacto|exactamente|correcto|muy bien|estupendo|buen trabajo)(?: (?:gracias|eso es))?$`,
    String.raw`^(?:${SUBJECT_ES} )?(?:ya |ahora )*(?:funciona|funcionó|ha funcionado|sirvió)(?: (?:bien|ahora|perfectamente|muy bien))?$`,
    String.raw`${SUBJECT_ES} (?:es|está) (?:muy )?(?:perfecto|correcto|bien|lo que (?:quería|pedí))`,
  ],
  right: [
    String.raw`(?:debería|debe|deben|tiene que|tienen que|hay que|en vez de|en lugar de|siempre|nunca|la próxima vez|mejor)`,
    String.raw`(?:usa|use|utiliza|escribe|haz|haga|pon|ponga|da|dame|toma|responde)`,
    String.raw`(?<!que )(?:quería|quiero|pedí|prefiero|necesito|necesitaba)`,
    String.raw`demasiado (?:largo|larga|corto|corta|complicado)`,
    String.raw`(?:el|la|los|las) (?:\p{L}+ ){1,3}(?:es|son|era)(?! (?:no|mal|incorrect|demasiado))`,
  ],
  idle: [
    String.raw`^(?:si|cuando|comprueba|busca|encuentra|explica|por qué|dime)`,
    String.raw`^no,? (?:gracias|hay problema|pasa nada)`,
  ],
};

const LANGUAGES = [ENGLISH, GERMAN, FRENCH, SPANISH].map(compile);

const CONJUNCTION = /^(?:and|but|so|well|hm+|sorry|und|aber|et|mais|y|pero) /u;
/** A word that stands alone says no, unless it answers a question. */
const NO = /^(?:no|nope|nah|nein|nee|non)$/u;
/** A question that is none: it reminds of what was said. */
const REPROACH =
  /(?:didn't|did not|don't|do not) i (?:tell|ask|say)|hab(?:e)? ich (?:dir )?nicht|(?:ne )?t'ai-je pas|no te (?:dije|he dicho)/u;

/** `asked`: the answer's last words were a question, so that a bare no is an answer to it. */
export function judgeMessage(message: string, { asked = false }: { asked?: boolean } = {}): MessageVerdict {
  const said = (kind: keyof Words, text: string) =>
    LANGUAGES.some((words) => words[kind].some((one) => one.test(text)));
  const sentences = toSentences(message).filter((sentence) => !said("idle", sentence));
  const clauses = sentences.flatMap(toClauses).filter((clause) => !said("idle", clause));
  const isNo = !asked && clauses[0] !== undefined && NO.test(clauses[0]);
  if (isNo || [...sentences, ...clauses].some((piece) => said("failure", piece))) {
    const isComplaint = (sentence: string) =>
      said("failure", sentence) || toClauses(sentence).every((clause) => NO.test(clause) || said("failure", clause));
    const isRight = (sentence: string) =>
      said("right", sentence) || (!isComplaint(sentence) && sentence.split(/\s+/u).length >= MIN_TOLD_WORDS);
    return { outcome: "failure", correction: sentences.some(isRight) };
  }
  return { outcome: clauses.some((clause) => said("success", clause)) ? "success" : "unknown", correction: false };
}

/** The first ones, in plain words: what is quoted, code, or a question says nothing of the answer. */
function toSentences(message: string): string[] {
  const plain = message
    .trimStart()
    .slice(0, MAX_READ_CHARS)
    .normalize("NFC")
    .replace(/```[\s\S]*?(?:```|$)/gu, " ")
    .replace(/`[^`]*`/gu, " x ")
    .replace(/^[ \t]*>.*$/gmu, " ")
    .replace(/["“„«][^"”“»„«]*["”“»]/gu, " x ")
    .toLowerCase()
    .replace(/[’´]/gu, "'");
  return plain
    .slice(0, MAX_CHARS)
    .split(/(?<=[.!?;:])\s+|\n+/u)
    .map((sentence) => sentence.trim())
    .filter((sentence) => /\p{L}/u.test(sentence))
    .slice(0, MAX_SENTENCES)
    .filter((sentence) => !sentence.endsWith("?") || REPROACH.test(sentence));
}

function toClauses(sentence: string): string[] {
  return sentence
    .split(/[,;:.!?–—]+\s*|(?<!\s)\s+-\s+|\s(?:but|aber|mais|pero|though|however)\s/u)
    .map((clause) => clause.replace(/\s+/gu, " ").replace(CONJUNCTION, "").trim())
    .filter((clause) => clause !== "");
}

function compile(words: Words): Record<keyof Words, RegExp[]> {
  const toPattern = (source: string) => new RegExp(`(?<![\\p{L}\\p{N}])(?:${source})(?![\\p{L}\\p{N}])`, "u");
  return {
    failure: words.failure.map(toPattern),
    success: words.success.map(toPattern),
    right: words.right.map(toPattern),
    idle: words.idle.map(toPattern),
  };
}
