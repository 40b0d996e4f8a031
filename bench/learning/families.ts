// The kinds of work in the simulated world, each with words of its own: what people ask for, what the service's operations
// are called, what their options are. Data only; which option is right is drawn by world.ts.

export interface Operation {
  /** As the service knows it. */
  name: string;
  flag: string;
  /** The first is what everybody takes who knows nothing. */
  values: readonly [string, ...string[]];
}

export interface Family {
  key: string;
  operations: readonly Operation[];
  /** Requests of the stream. */
  wordings: readonly string[];
  /** Requests that never appear in the stream. */
  heldOut: readonly string[];
  /** Ways to call a skill for it, and to say what it is for. A reviewer that writes one twice takes another. */
  skills: readonly { name: string; description: string; short: string }[];
  /** What a person's own skill about it was called. */
  imported: { name: string; description: string };
  /** The thing that is worked on, in one or two words. */
  thing: string;
}

export const FAMILIES: readonly Family[] = [
  {
    key: "ledger",
    thing: "journal bookings",
    operations: [
      { name: "ledger export", flag: "--encoding", values: ["utf8", "latin1", "cp1252", "utf16", "koi8"] },
      { name: "ledger reconcile", flag: "--basis", values: ["booking", "valuta", "posting", "invoice", "settlement"] },
      { name: "ledger close", flag: "--rounding", values: ["half-up", "half-even", "floor", "ceiling", "truncate"] },
    ],
    wordings: [
      "Please do the month-end closing of the ledger and get the journal bookings to the accountant.",
      "The accountant is waiting for the ledger: take the journal bookings of this month-end through.",
      "Month-end again. The ledger and its journal bookings have to go out to our accountant.",
      "Can you finish the ledger for this month-end, journal bookings included, so the accountant has it?",
      "Bring the journal bookings in the ledger to their month-end state for the accountant.",
    ],
    heldOut: [
      "Our accountant wants the ledger with all journal bookings as of month-end, please see to it.",
      "I need you to settle the month-end in the ledger and hand the journal bookings over.",
    ],
    skills: [
      {
        name: "closing-the-ledger",
        description: "How the month-end closing of the ledger is done here, from journal bookings to the accountant.",
        short: "Month-end ledger closing: journal bookings, accountant.",
      },
      {
        name: "month-end-bookkeeping",
        description: "Taking journal bookings through the service at month-end so that the ledger is accepted.",
        short: "Journal bookings and ledger at month-end.",
      },
      {
        name: "journal-handover",
        description: "What the accountant gets at month-end: the ledger's journal bookings, and how they are sent out.",
        short: "Ledger journal bookings for the accountant.",
      },
      {
        name: "preparing-ledger-bookings",
        description: "Rules for ledger work: journal bookings, month-end, options that the accountant's service takes.",
        short: "Ledger bookings at month-end, service options.",
      },
    ],
    imported: {
      name: "office-ledger-handbook",
      description: "Handbook for the ledger: month-end, journal bookings and what the accountant asks for.",
    },
  },
  {
    key: "parcels",
    thing: "parcel labels",
    operations: [
      { name: "label print", flag: "--media", values: ["plain", "thermal", "zebra", "dymo", "vellum"] },
      { name: "label weigh", flag: "--unit", values: ["grams", "pounds", "ounces", "kilos", "stones"] },
      { name: "label route", flag: "--zone", values: ["domestic", "schengen", "overseas", "insular", "bonded"] },
    ],
    wordings: [
      "Get the shipping labels ready for today's parcels before the courier comes to the warehouse.",
      "The courier is due at the warehouse: all parcels need their shipping labels.",
      "Parcels are piling up in the warehouse. Please make the shipping labels for the courier.",
      "Could you label the parcels for shipping? The courier collects them from the warehouse this afternoon.",
      "Shipping labels for the new parcels, please, so that the warehouse can give them to the courier.",
    ],
    heldOut: [
      "Before the courier arrives I want every parcel in the warehouse to carry its shipping label.",
      "Take care of the labels: the warehouse has parcels for shipping and the courier won't wait.",
    ],
    skills: [
      {
        name: "making-shipping-labels",
        description: "Making shipping labels for parcels in the warehouse, as the courier's service takes them.",
        short: "Shipping labels for parcels, courier, warehouse.",
      },
      {
        name: "sending-parcels",
        description: "How parcels leave the warehouse: shipping labels, what the courier wants on them.",
        short: "Parcels out of the warehouse: shipping labels.",
      },
      {
        name: "courier-collection",
        description: "Getting parcels ready for the courier at the warehouse, labels for shipping included.",
        short: "Courier collection: parcels and shipping labels.",
      },
      {
        name: "warehouse-dispatch",
        description: "Dispatch from the warehouse: parcel labels, shipping options, handing over to the courier.",
        short: "Warehouse parcels: labels, shipping, courier.",
      },
    ],
    imported: {
      name: "dispatch-desk-notes",
      description: "Notes of the dispatch desk on parcels: shipping labels, the courier, the warehouse.",
    },
  },
  {
    key: "roster",
    thing: "ward shifts",
    operations: [
      { name: "roster fill", flag: "--rule", values: ["seniority", "rotation", "balance", "preference", "lottery"] },
      { name: "roster publish", flag: "--board", values: ["intranet", "noticeboard", "pager", "bulletin", "mailbox"] },
      { name: "roster swap", flag: "--approval", values: ["nobody", "matron", "registrar", "payroll", "union"] },
    ],
    wordings: [
      "Plan next week's shift roster for the nurses of the ward, with cover for nights.",
      "The ward has no shift roster for its nurses yet: nights need cover too.",
      "Please set up the nurses' roster: every shift on the ward, and somebody to cover the nights.",
      "I need a roster for the ward. All nurses, each shift, night cover included.",
      "Nurses are asking for the shift roster of the ward; do it with the night cover.",
    ],
    heldOut: [
      "Who works when? Make the ward's roster of shifts for our nurses and think of night cover.",
      "Cover for nights on the ward is missing; draw up the nurses' shift roster.",
    ],
    skills: [
      {
        name: "planning-ward-rosters",
        description: "Planning the shift roster for nurses of a ward, with night cover, through the service.",
        short: "Shift roster for nurses of a ward, night cover.",
      },
      {
        name: "nursing-shift-plans",
        description: "How shifts of nurses are planned: the ward's roster, nights, and what the service accepts.",
        short: "Nurses' shifts on the ward: roster, nights.",
      },
      {
        name: "night-cover",
        description: "Finding cover for nights in a ward's roster of nurses, shift by shift.",
        short: "Night cover in the ward's shift roster.",
      },
      {
        name: "staffing-a-ward",
        description: "Staffing a ward: nurses, shift roster, cover, and the options of the roster service.",
        short: "Ward staffing: nurses, shift roster, cover.",
      },
    ],
    imported: {
      name: "ward-planning-primer",
      description: "Primer on the ward's roster: nurses, shift lengths, night cover.",
    },
  },
  {
    key: "survey",
    thing: "survey answers",
    operations: [
      { name: "survey weight", flag: "--frame", values: ["census", "microcensus", "panel", "register", "quota"] },
      { name: "survey code", flag: "--scheme", values: ["numeric", "mnemonic", "likert", "isco", "nace"] },
      { name: "survey chart", flag: "--scale", values: ["linear", "logit", "ordinal", "diverging", "indexed"] },
    ],
    wordings: [
      "Tabulate the answers of the survey: the questionnaire came back from all respondents.",
      "All respondents have returned the questionnaire, so please tabulate the survey.",
      "We have the survey back. Respondents' answers to the questionnaire have to be tabulated.",
      "Make tables of the questionnaire: survey answers by respondents, tabulated as usual.",
      "The questionnaire of our survey is in; tabulate what the respondents said.",
    ],
    heldOut: [
      "What did the respondents say? Tabulate their questionnaire answers from the survey for me.",
      "Survey is closed: tabulate each questionnaire of the respondents.",
    ],
    skills: [
      {
        name: "tabulating-surveys",
        description: "Tabulating a survey: answers of respondents to a questionnaire, as the service takes them.",
        short: "Tabulate survey answers of respondents.",
      },
      {
        name: "questionnaire-tables",
        description: "From a questionnaire to tables: what respondents of a survey answered, tabulated.",
        short: "Questionnaire tables: respondents of a survey.",
      },
      {
        name: "respondent-answers",
        description: "Working on respondents' answers of a survey, with the options that questionnaire tables need.",
        short: "Respondents' survey answers, questionnaire tables.",
      },
      {
        name: "survey-evaluation",
        description: "Evaluation of a survey by its questionnaire: respondents, answers, tabulated results.",
        short: "Survey evaluation: questionnaire, respondents.",
      },
    ],
    imported: {
      name: "polling-cookbook",
      description: "Cookbook for a survey: the questionnaire, respondents, tabulated answers.",
    },
  },
  {
    key: "newsletter",
    thing: "newsletter edition",
    operations: [
      { name: "mailing render", flag: "--layout", values: ["fluid", "fixed", "hybrid", "stacked", "columnar"] },
      { name: "mailing segment", flag: "--consent", values: ["implied", "double", "written", "renewed", "archived"] },
      { name: "mailing send", flag: "--pacing", values: ["burst", "drip", "hourly", "dusk", "weekday"] },
    ],
    wordings: [
      "Send the new edition of the newsletter to our subscribers; the editorial is in the draft.",
      "The newsletter edition is due: draft and editorial are done, subscribers are waiting.",
      "Please bring out the newsletter. Subscribers should get the edition with the editorial from the draft.",
      "Subscribers expect the newsletter: make the edition out of the draft, editorial first.",
      "Turn the draft into a newsletter edition for all subscribers, with its editorial.",
    ],
    heldOut: [
      "Our subscribers have had no newsletter for weeks; publish the edition with the editorial now.",
      "Here is the draft with the editorial: newsletter out to the subscribers, please.",
    ],
    skills: [
      {
        name: "sending-newsletters",
        description: "Sending an edition of the newsletter to subscribers, from draft and editorial.",
        short: "Newsletter edition to subscribers, from a draft.",
      },
      {
        name: "editing-an-edition",
        description: "How an edition is made: draft, editorial, newsletter, and what subscribers' consent asks for.",
        short: "Edition of the newsletter: draft, editorial.",
      },
      {
        name: "subscriber-mailings",
        description: "Mailings to subscribers: the newsletter, its edition, and the service's options.",
        short: "Subscribers' newsletter, edition by edition.",
      },
      {
        name: "publishing-editorials",
        description: "Publishing the editorial of a newsletter edition to its subscribers.",
        short: "Editorial and newsletter edition, subscribers.",
      },
    ],
    imported: {
      name: "press-room-guide",
      description: "Guide of the press room: newsletter, edition, editorial, subscribers.",
    },
  },
  {
    key: "soil",
    thing: "soil samples",
    operations: [
      { name: "assay dry", flag: "--oven", values: ["ambient", "gentle", "vacuum", "freeze", "desiccant"] },
      { name: "assay extract", flag: "--solvent", values: ["water", "lactate", "chloride", "oxalate", "nitrate"] },
      { name: "assay report", flag: "--per", values: ["fresh", "drymass", "volume", "hectare", "horizon"] },
    ],
    wordings: [
      "Run the assay of the soil samples from the northern plots and give the laboratory's findings.",
      "New soil samples from the plots have reached the laboratory: please run the assay.",
      "The laboratory holds soil samples of four plots. Take them through the assay.",
      "I need the assay for these plots: soil samples are in the laboratory since Monday.",
      "Soil samples, the usual assay, please; the laboratory has labelled them by plots.",
    ],
    heldOut: [
      "What is in the ground? Have the laboratory's soil samples of the plots go through the assay.",
      "The plots were sampled: soil assay in the laboratory, then tell me.",
    ],
    skills: [
      {
        name: "assaying-soil",
        description: "The assay of soil samples in the laboratory, plots by plots, as the service takes it.",
        short: "Assay of soil samples from plots, laboratory.",
      },
      {
        name: "laboratory-soil-work",
        description: "Laboratory work on soil: samples of plots, drying, extracting, the assay's findings.",
        short: "Laboratory soil samples: assay, plots.",
      },
      {
        name: "field-plot-samples",
        description: "From field plots to findings: soil samples and the options of the assay.",
        short: "Plots: soil samples and their assay.",
      },
      {
        name: "ground-analysis",
        description: "Analysis of ground by assay: which soil samples of the plots need what in the laboratory.",
        short: "Ground analysis: soil samples, assay.",
      },
    ],
    imported: {
      name: "bench-chemistry-sheet",
      description: "Sheet for the laboratory: soil samples, plots, how an assay is run.",
    },
  },
  {
    key: "tenancy",
    thing: "tenancy agreement",
    operations: [
      {
        name: "tenancy draft",
        flag: "--clause",
        values: ["standard", "furnished", "graduated", "indexlinked", "sublet"],
      },
      { name: "tenancy deposit", flag: "--account", values: ["current", "escrow", "trustee", "pledged", "bond"] },
      { name: "tenancy register", flag: "--office", values: ["online", "townhall", "notary", "county", "chamber"] },
    ],
    wordings: [
      "Draw up the tenancy agreement for the flat; the tenant moves in when the landlord has signed.",
      "The landlord wants the tenancy agreement of the flat settled with the tenant.",
      "A new tenant takes the flat: please prepare the tenancy agreement for our landlord.",
      "Tenancy agreement, please: flat on the second floor, same landlord, new tenant.",
      "Settle the agreement on the flat between tenant and landlord, as a normal tenancy.",
    ],
    heldOut: [
      "The flat is let at last. Landlord and tenant need their tenancy agreement.",
      "Can the tenant have the flat by then? Get the landlord's tenancy agreement through.",
    ],
    skills: [
      {
        name: "drawing-up-tenancies",
        description: "Drawing up a tenancy agreement for a flat between landlord and tenant.",
        short: "Tenancy agreement for a flat, landlord, tenant.",
      },
      {
        name: "letting-a-flat",
        description: "How a flat is let: tenant, landlord, the tenancy agreement and where it goes.",
        short: "Letting a flat: tenancy agreement, tenant.",
      },
      {
        name: "landlord-agreements",
        description: "Agreements that a landlord makes with a tenant about a flat, with the service's options.",
        short: "Landlord and tenant: flat, tenancy agreement.",
      },
      {
        name: "tenant-move-in",
        description: "Before a tenant moves into a flat: the tenancy agreement with the landlord, deposit, register.",
        short: "Tenant moves in: flat, tenancy agreement.",
      },
    ],
    imported: {
      name: "house-management-folder",
      description: "Folder on house management: tenancy agreement, flat, landlord and tenant.",
    },
  },
  {
    key: "subtitles",
    thing: "film subtitles",
    operations: [
      { name: "subtitle time", flag: "--rate", values: ["pal", "ntsc", "cinema", "dropframe", "variable"] },
      { name: "subtitle wrap", flag: "--width", values: ["broad", "narrow", "pyramid", "justified", "karaoke"] },
      { name: "subtitle burn", flag: "--place", values: ["bottom", "letterbox", "upper", "speaker", "margin"] },
    ],
    wordings: [
      "Put subtitles on the episode: the dialogue is transcribed, the film goes out tonight.",
      "The film's dialogue is transcribed; please make the subtitles of the episode.",
      "Tonight's episode needs subtitles. Dialogue of the film is transcribed already.",
      "Make subtitles out of the transcribed dialogue for this film episode.",
      "Episode and transcribed dialogue are here: subtitles for the film, please.",
    ],
    heldOut: [
      "The broadcaster insists on subtitles; the film episode's dialogue has been transcribed.",
      "From transcribed dialogue to subtitles: do it for the newest episode of the film.",
    ],
    skills: [
      {
        name: "subtitling-films",
        description: "Making subtitles for a film or an episode from transcribed dialogue.",
        short: "Subtitles for a film episode from dialogue.",
      },
      {
        name: "dialogue-to-captions",
        description: "From transcribed dialogue to subtitles of an episode, as the film service takes them.",
        short: "Transcribed dialogue to subtitles, episode.",
      },
      {
        name: "episode-captioning",
        description: "Captioning an episode: subtitles, dialogue, timing and place on the film.",
        short: "Episode captions: subtitles, dialogue, film.",
      },
      {
        name: "film-text-overlays",
        description: "Text over a film: subtitles of the dialogue, episode by episode, and their options.",
        short: "Film subtitles of the dialogue, by episode.",
      },
    ],
    imported: {
      name: "studio-captions-manual",
      description: "Manual of the studio: subtitles, dialogue, episode and film.",
    },
  },
];

/** What a person brought along that matches nothing of the above. */
export const STRAY_SKILLS: readonly { name: string; description: string; operation: Operation }[] = [
  stray("greenhouse-watering", "Watering cycles of orchids under glass.", "orchid water", "--cycle", [
    "dawn",
    "misting",
  ]),
  stray("choir-scores", "Transposing scores for altos and basses.", "score transpose", "--clef", ["treble", "alto"]),
  stray("regatta-handicaps", "Handicap times of sailing boats after a regatta.", "regatta rank", "--yardstick", [
    "lys",
    "orc",
  ]),
  stray("cheese-ripening", "Turning wheels of cheese in the cellar.", "cheese turn", "--humidity", ["dry", "damp"]),
  stray("chess-pairings", "Swiss pairings for a chess evening.", "pairing swiss", "--tiebreak", [
    "buchholz",
    "sonneborn",
  ]),
  stray("beehive-inspection", "Inspecting beehives for mites in spring.", "hive inspect", "--smoke", ["light", "cool"]),
  stray("kiln-firing", "Firing stoneware with a slow ramp.", "kiln fire", "--ramp", ["bisque", "glaze"]),
  stray("tide-tables", "Reading tide tables for a harbour pilot.", "tide read", "--datum", ["chart", "mean"]),
  stray("bookbinding", "Sewing signatures of a bound volume.", "binding sew", "--stitch", ["kettle", "coptic"]),
  stray("falconry-log", "Weights of a falcon before it flies.", "falcon weigh", "--hood", ["dutch", "arab"]),
];

function stray(name: string, description: string, operation: string, flag: string, values: [string, string]) {
  return { name, description, operation: { name: operation, flag, values } };
}

/** Options of an operation that the service's list does not name. */
export const OTHER_OPTIONS = {
  flag: "--profile",
  values: ["standard", "strict", "compact", "relaxed", "legacy"],
} as const;

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
