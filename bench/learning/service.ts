// What the simulated service can do: eight areas, the operations of each, the values an operation's option may have. Data only;
// which value is right is drawn by world.ts, and what people call the work comes from the surfaces.

export interface OperationValues {
  /** As the service knows it. */
  name: string;
  flag: string;
  /** The first is the usual one: without knowledge it is tried first. */
  values: readonly [string, ...string[]];
}

export interface Area {
  /** The first word of its operations. */
  key: string;
  operations: readonly OperationValues[];
}

export const AREAS: readonly Area[] = [
  {
    key: "ledger",
    operations: [
      { name: "ledger export", flag: "--encoding", values: ["utf8", "latin1", "cp1252", "utf16", "koi8"] },
      { name: "ledger reconcile", flag: "--basis", values: ["booking", "valuta", "posting", "invoice", "settlement"] },
      { name: "ledger close", flag: "--rounding", values: ["half-up", "half-even", "floor", "ceiling", "truncate"] },
    ],
  },
  {
    key: "label",
    operations: [
      { name: "label print", flag: "--media", values: ["plain", "thermal", "zebra", "dymo", "vellum"] },
      { name: "label weigh", flag: "--unit", values: ["grams", "pounds", "ounces", "kilos", "stones"] },
      { name: "label route", flag: "--zone", values: ["domestic", "schengen", "overseas", "insular", "bonded"] },
    ],
  },
  {
    key: "roster",
    operations: [
      { name: "roster fill", flag: "--rule", values: ["seniority", "rotation", "balance", "preference", "lottery"] },
      { name: "roster publish", flag: "--board", values: ["intranet", "noticeboard", "pager", "bulletin", "mailbox"] },
      { name: "roster swap", flag: "--approval", values: ["nobody", "matron", "registrar", "payroll", "union"] },
    ],
  },
  {
    key: "survey",
    operations: [
      { name: "survey weight", flag: "--frame", values: ["census", "microcensus", "panel", "register", "quota"] },
      { name: "survey code", flag: "--scheme", values: ["numeric", "mnemonic", "likert", "isco", "nace"] },
      { name: "survey chart", flag: "--scale", values: ["linear", "logit", "ordinal", "diverging", "indexed"] },
    ],
  },
  {
    key: "mailing",
    operations: [
      { name: "mailing render", flag: "--layout", values: ["fluid", "fixed", "hybrid", "stacked", "columnar"] },
      { name: "mailing segment", flag: "--consent", values: ["implied", "double", "written", "renewed", "archived"] },
      { name: "mailing send", flag: "--pacing", values: ["burst", "drip", "hourly", "dusk", "weekday"] },
    ],
  },
  {
    key: "assay",
    operations: [
      { name: "assay dry", flag: "--oven", values: ["ambient", "gentle", "vacuum", "freeze", "desiccant"] },
      { name: "assay extract", flag: "--solvent", values: ["water", "lactate", "chloride", "oxalate", "nitrate"] },
      { name: "assay report", flag: "--per", values: ["fresh", "drymass", "volume", "hectare", "horizon"] },
    ],
  },
  {
    key: "tenancy",
    operations: [
      {
        name: "tenancy draft",
        flag: "--clause",
        values: ["standard", "furnished", "graduated", "indexlinked", "sublet"],
      },
      { name: "tenancy deposit", flag: "--account", values: ["current", "escrow", "trustee", "pledged", "bond"] },
      { name: "tenancy register", flag: "--office", values: ["online", "townhall", "notary", "county", "chamber"] },
    ],
  },
  {
    key: "subtitle",
    operations: [
      { name: "subtitle time", flag: "--rate", values: ["pal", "ntsc", "cinema", "dropframe", "variable"] },
      { name: "subtitle wrap", flag: "--width", values: ["broad", "narrow", "pyramid", "justified", "karaoke"] },
      { name: "subtitle burn", flag: "--place", values: ["bottom", "letterbox", "upper", "speaker", "margin"] },
    ],
  },
];

/** Of skills that a person brought along and that match nothing of the above. */
export const STRAY_OPERATIONS: readonly OperationValues[] = [
  { name: "orchid water", flag: "--cycle", values: ["dawn", "misting"] },
  { name: "score transpose", flag: "--clef", values: ["treble", "alto"] },
  { name: "regatta rank", flag: "--yardstick", values: ["lys", "orc"] },
  { name: "cheese turn", flag: "--humidity", values: ["dry", "damp"] },
  { name: "pairing swiss", flag: "--tiebreak", values: ["buchholz", "sonneborn"] },
  { name: "hive inspect", flag: "--smoke", values: ["light", "cool"] },
  { name: "kiln fire", flag: "--ramp", values: ["bisque", "glaze"] },
  { name: "tide read", flag: "--datum", values: ["chart", "mean"] },
  { name: "binding sew", flag: "--stitch", values: ["kettle", "coptic"] },
  { name: "falcon weigh", flag: "--hood", values: ["dutch", "arab"] },
];

/** Name and option in the service's list of operations that it does not list. */
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

/** A word of its own for each number, none of which is used above. */
export function inventedWord(n: number): string {
  const count = SYLLABLES.length;
  const digits = [n, Math.floor(n / count), Math.floor(n / count ** 2), Math.floor(n / count ** 3)];
  return digits.map((digit) => SYLLABLES[digit % count]).join("");
}
