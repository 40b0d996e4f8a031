// The simulated service: eight areas, their operations, and the values that each operation's option may have. Data only.
// world.ts draws which value is right; the surfaces provide what people call the work.

export interface OperationValues {
  /** The service's name for it. */
  name: string;
  flag: string;
  /** The first is the usual one: a worker without knowledge tries it first. */
  values: readonly [string, ...string[]];
}

export interface Area {
  /** The first word of its operations. */
  key: string;
  operations: readonly OperationValues[];
}

export const AREAS: readonly Area[] = toAreas(`
  ledger export --encoding utf8 latin1 cp1252 utf16 koi8
  ledger reconcile --basis booking valuta posting invoice settlement
  ledger close --rounding half-up half-even floor ceiling truncate
  label print --media plain thermal zebra dymo vellum
  label weigh --unit grams pounds ounces kilos stones
  label route --zone domestic schengen overseas insular bonded
  roster fill --rule seniority rotation balance preference lottery
  roster publish --board intranet noticeboard pager bulletin mailbox
  roster swap --approval nobody matron registrar payroll union
  survey weight --frame census microcensus panel register quota
  survey code --scheme numeric mnemonic likert isco nace
  survey chart --scale linear logit ordinal diverging indexed
  mailing render --layout fluid fixed hybrid stacked columnar
  mailing segment --consent implied double written renewed archived
  mailing send --pacing burst drip hourly dusk weekday
  assay dry --oven ambient gentle vacuum freeze desiccant
  assay extract --solvent water lactate chloride oxalate nitrate
  assay report --per fresh drymass volume hectare horizon
  tenancy draft --clause standard furnished graduated indexlinked sublet
  tenancy deposit --account current escrow trustee pledged bond
  tenancy register --office online townhall notary county chamber
  subtitle time --rate pal ntsc cinema dropframe variable
  subtitle wrap --width broad narrow pyramid justified karaoke
  subtitle burn --place bottom letterbox upper speaker margin
`);

/** Operations of imported skills that are unrelated to the service. */
export const STRAY_OPERATIONS: readonly OperationValues[] = toOperations(`
  orchid water --cycle dawn misting
  score transpose --clef treble alto
  regatta rank --yardstick lys orc
  cheese turn --humidity dry damp
  pairing swiss --tiebreak buchholz sonneborn
  hive inspect --smoke light cool
  kiln fire --ramp bisque glaze
  tide read --datum chart mean
  binding sew --stitch kettle coptic
  falcon weigh --hood dutch arab
`);

/** The list's entry for operations that it does not name. */
export const OTHER_OPERATION = "any other";
export const OTHER_OPTIONS: Omit<OperationValues, "name"> = {
  flag: "--profile",
  values: ["standard", "strict", "compact", "relaxed", "legacy"],
};

const SYLLABLES = [
  "tar",
  "vel",
  "quim",
  "bra",
  "nolo",
  "sek",
  "dru",
  "mipa",
  "fen",
  "gor",
  "lutha",
  "zim",
  "ochre",
  "pell",
];

/** A distinct word for each number, unlike any word above. */
export function inventWord(n: number): string {
  const count = SYLLABLES.length;
  const digits = [n, Math.floor(n / count), Math.floor(n / count ** 2), Math.floor(n / count ** 3)];
  return digits.map((digit) => SYLLABLES[digit % count]).join("");
}

/** Groups the operations by their first word, in table order. */
function toAreas(table: string): Area[] {
  const areas = Map.groupBy(toOperations(table), ({ name }) => name.split(" ")[0]!);
  return [...areas].map(([key, operations]) => ({ key, operations }));
}

/** One operation per line: the name in two words, the flag, the values. */
function toOperations(table: string): OperationValues[] {
  return table
    .trim()
    .split("\n")
    .map((line) => {
      const [area, verb, flag, usual, ...others] = line.trim().split(" ") as [
        string,
        string,
        string,
        string,
        ...string[],
      ];
      return { name: `${area} ${verb}`, flag, values: [usual, ...others] };
    });
}
