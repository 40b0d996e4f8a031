// Finds in sentences the tokens that stand for "no value". Used by prose.ts. Pure.

const ABOUT =
  /\bmissing\b|\bwithout (?:an? |any )?(?:value|entry|entries|reading|number|figure|data)s?\b|\babsent\b|\babsence\b|\bno (?:value|data|reading|measurement|figure|number|entry|observation|result)s?\b|\bnot (?:been )?(?:recorded|measured|known|available|taken|observed|present|filled|a (?:real |true |genuine |measured |valid )?(?:value|number|reading|measurement|figure|observation|quantity|temperature|amount))\b|\bunrecorded\b|\bunmeasured\b|\bunknown\b|\bunavailable\b|\bsentinels?\b|\bplace-?holders?\b|\bgaps?\b|\bholes?\b|\bblanks?\b|\bempty\b|\bnull\b|\bnothing (?:was|is|there|came)\b|\bfillers?\b|\bfill values?\b|\bstands? for nothing\b|\bmeans? nothing\b|\blost\b|\bdummy\b|\bnever (?:real|a|an|count|average|sum|include)\b|\bna_values\b|\bnon-values?\b|\bcodes?\b|\bexclud\w+|\bleave (?:it |them )?out\b|\bskip\b|\bnobody (?:wrote|measured|recorded)\b|\bfailed (?:reading|sensor|measurement)/i;
const WORDS: [RegExp, string[]][] = [
  [/(?<![\w/])n\/a(?![\w/])/i, ["n/a"]],
  [/(?<!\w)NA(?!\w)/, ["NA"]],
  [/(?<!\w)nan(?!\w)/i, ["NaN"]],
  [/(?<!\w)NULL(?!\w)/, ["NULL"]],
  [
    /\b(?:lone|single|bare|plain|simple) (?:dash|hyphen|minus)|\ba (?:dash|hyphen)\b|\b(?:dashes|hyphens)\b/,
    ["-", "–", "—"],
  ],
  [/\bquestion marks?\b/, ["?"]],
  [/\basterisks?\b/, ["*"]],
];

export function readMissing(sentences: string[]): string[] {
  const found = new Set<string>();
  for (const sentence of sentences) {
    const text = sentence
      .replace(/[−–](?=\d)/g, "-")
      .replace(/\bminus (?=\d)/g, "-")
      .replace(/-9[,.' ]999\b/g, "-9999");
    // A negative number of only nines always means "no value".
    for (const match of text.matchAll(/(?<![\w.,])-9{2,}(?:\.0+)?(?=s?\b)(?!\d|[.,]\d|[a-rt-z])/g)) found.add(match[0]);
    if (/\bminus (?:nine thousand,? nine hundred(?: and)? ninety[- ]nine|four nines)\b/.test(text)) found.add("-9999");
    if (/(?<![\w/])n\/a(?![\w/])/i.test(text) && !/\b(?:no|not|never|instead of)\W+n\/a/i.test(text)) found.add("n/a");
    if (!ABOUT.test(text)) continue;
    for (const [pattern, tokens] of WORDS) if (pattern.test(text)) for (const token of tokens) found.add(token);
    for (const match of text.matchAll(/(?<![\w.,-])9{3,}(?![\w]|[.,]\d)/g)) found.add(match[0]);
    for (const match of text.matchAll(
      /`([^`\n]+)`|"([^"\n]+)"|“([^”\n]+)”|‘([^’\n]+)’|«\s?([^»\n]+?)\s?»|(?<=\s)'([^'\n]+)'/g,
    )) {
      const token = match
        .slice(1)
        .find((piece) => piece !== undefined)!
        .trim()
        .replace(/^−/, "-");
      if (isToken(token) && !/^(?:not?|nothing|never) /i.test(token)) found.add(token);
    }
  }
  return [...found];
}

/** Whether a token may be a code: short, and not a command, file, number form or date form. */
function isToken(token: string): boolean {
  if (token === "" || token.length > 12 || /[|;\t]/.test(token)) return false;
  if (/^-?\d/.test(token)) return /^-?(?:\d{1,6})$/.test(token) && /^(?:-\d+|9{2,}|-?0|-1)$/.test(token);
  if (
    /^[a-z]+\.[a-z]{2,4}$|[dmy]{1,4}[./-][dmy]{1,4}|^(?:awk|sed|cut|head|tail|cat|tr|grep|sort|gsub|sub|-F.*|FS|NR.*|FNR.*|NF|\$\d.*)$/i.test(
      token,
    )
  )
    return false;
  return !/^[.,]$/.test(token);
}
