// Rewrites fixed expressions in which a mark or topic has another meaning than its single words. Used by prose.ts. Pure.

/** An instruction to convert numbers to another form. */
const CLEANED =
  /^(?:first,? |then,? )?(?:clean|tidy|normali[sz]e|convert|make|turn|prepare|bring)\b.*\b(?:numbers?|amounts?|figures?|values?|them|it)\b.*$/;

export function normalise(sentence: string): string {
  return (
    sentence
      .replace(/’/g, "'")
      .replace(/\bdecimal (?:separator|mark|sign|character|delimiter|symb\w+|marker|places?|digits?)s?\b/g, "decimal")
      .replace(/\bdecimal point(?=s? (?:is|are|becomes?|being|appears?|shows?|written)\b|s?\s*[:=])/g, "decimal")
      .replace(
        /\b(?:thousands?|grouping|digit[- ]group(?:ing)?) (?:separator|mark|sign|character|delimiter|symb\w+|marker)s?\b/g,
        "thousands",
      )
      .replace(/\bpoint\b(?=s? (?:is|of|at) (?:that|view|which))/g, "matter")
      .replace(/\btab-?\s?separated values?\b/g, "tsv")
      .replace(/\b(?:comma|character)-?\s?separated values?\b/g, "csv")
      .replace(/\bblank (?:lines?|cells?)\b/g, "empty")
      .replace(
        /\b((?:thousand|fraction|decimal|cent|digit)s?|groups of (?:three )?digits) (?:are|is|get) (?:separated|divided|split|set|parted) (?:off |apart )?(?:by|with|from)\b/g,
        "$1 by",
      )
      .replace(
        /\bcommas?(?: (?:in|inside|within|of)(?: [a-z]+){1,3}?)? (?:(?:in)?to|by|with|for|becomes?|->|→) (?:an? |the )?(?:decimal )?(?:points?|dots?|periods?|full stops?)\b/g,
        "comma as decimal",
      )
      .replace(
        /\btak(?:e|ing) (?:out |away |off )?(?:the |any |all |every )?(spaces?|blanks?|dots?|points?|full stops?|commas?|apostrophes?)(?: (?:out|away|off)\b| (?=from\b))/g,
        "remove $1",
      )
      .replace(
        /(^|\band |\bthen |, )(?:use|write|put) (?:an? |the )?(?:decimal )?(?:points?|dots?|periods?|full stops?) where(?:ver)? (?:they|it|there|the (?:files?|numbers?|exports?|data))(?: is| are| has| have|'s) (?:an? |the )?commas?\b/g,
        "$1comma as decimal",
      )
      // The form of a cleaned number implies the form before.
      .replace(CLEANED, (all) =>
        all
          .replace(/\bno (spaces|blanks|dots|points|commas|apostrophes)\b/g, "remove $1")
          .replace(
            /\b(?:points?|dots?|periods?) (?:in place of|instead of|for|where) (?:an? |the |every |each |its )?(?:decimal )?commas?\b/g,
            "comma as decimal",
          ),
      )
      // The mark after a conversion is not the mark in the file.
      .replace(
        /\b((?:replac|chang|turn|swap|convert)\w* [^.,;]{1,30}? (?:with|by|into|to|for)) (?:an? |the )?(?:decimal )?(?:points?|dots?|periods?|full stops?)\b/g,
        "$1 another",
      )
      .replace(
        /\bcommas? (?:where|in place of|instead of|for) (?:[a-z]+ ){0,5}(?:decimal )?(?:points?|dots?|periods?)\b/g,
        "comma as decimal",
      )
  );
}
