// The vocabulary of the other messages in bench:recall: everyday and work topics, sentence patterns, and parts of invented names.
// Written for this bench; no data set was used.

const split = (words: string): string[] => words.trim().split(/\s+/);

/** Nouns by topic. */
export const TOPICS = Object.values({
  home: split(`kitchen sofa curtain shelf bathroom garage hallway roof carpet mirror lamp heater window drawer bedroom door paint
    wall plumber boiler mattress neighbour rent lease landlord ceiling balcony key fence moving`),
  food: split(`soup bread garlic pasta recipe oven onion dinner breakfast pepper cheese salad cake flour butter restaurant lunch
    sauce rice bean chocolate dessert tea coffee cookie kettle spice market lemon bakery`),
  family:
    split(`sister brother mother father daughter son cousin aunt uncle grandmother wedding birthday baby nephew niece
    husband wife parents reunion anniversary holiday photo kids twins godfather engagement childhood family visit album`),
  pets: split(`dog puppy cat kitten leash vet rabbit parrot hamster collar aquarium turtle kennel fur paw treat shelter
    adoption breed training whiskers feeder horse stable bird cage tail walk toy goldfish`),
  travel:
    split(`airport train suitcase passport hotel beach mountain ferry ticket museum hostel map luggage island village
    castle trip flight border cruise tent lake desert camping guide harbour bridge souvenir platform forest`),
  sport:
    split(`match coach team marathon bicycle gym stretch yoga football tennis swimming goal race trainer medal stadium
    league ankle basketball skating climbing surfing injury tournament referee pitch racket hiking running dance`),
  art: split(`painting brush canvas gallery sculpture pottery clay sketch portrait guitar piano violin band concert song lyrics
    stage drum theatre play novel poem chapter author library bookshop camera film exhibition choir`),
  health: split(`doctor nurse appointment allergy headache sleep therapy medicine dentist fever diet vitamin clinic knee
    surgery stress meditation checkup blood pressure glasses hospital pharmacy recovery counselling habit weight cough pain rest`),
  garden:
    split(`tomato rose tulip seed compost soil shovel hedge lawn tree pruning basil lavender greenhouse weed watering pot
    bulb sunflower orchard apple pear rain frost bee butterfly bench path herb harvest`),
  school:
    split(`teacher homework exam lecture thesis scholarship professor degree course classroom essay student semester campus
    grade project presentation internship diploma tutor biology history chemistry geography language science club deadline notebook test`),
  money:
    split(`budget invoice salary bank loan mortgage tax receipt savings insurance refund contract account payment price
    discount donation charity fundraiser investor startup shop customer store brand profit fee auction pension bonus`),
  office: split(`meeting agenda colleague manager promotion interview desk report client proposal slides review schedule
    workshop onboarding hiring office printer calendar feedback handover roadmap milestone vendor conference badge signature
    department strategy résumé`),
  code: split(`branch commit test pipeline parser function variable loop exception server container build compiler module
    package release bug ticket migration index query table schema cache queue worker timeout retry log token`),
  data: split(`column row chart spreadsheet median outlier dataset export import histogram forecast dashboard filter sample
    average percentile figure total region quarter month trend survey sensor reading backup archive folder file format`),
  cars: split(`engine tyre brake garage mechanic licence motorway petrol battery windscreen mirror seat van truck scooter
    parking junction traffic detour bumper gearbox headlight caravan wheel dealer rental charger trunk driver accident`),
  community:
    split(`volunteer parade meeting council park election petition support group club festival neighbourhood mentor
    shelter foodbank cleanup rally identity rights pride veteran church speech march poster leaflet committee crowd banner
    friendship`),
});

export const PEOPLE =
  split(`Ada Alan Amir Anna Anton Bea Ben Carla Carol Chen Clara Daniel David Dora Elena Elias Emma Erik
  Esther Eva Farid Felix Fiona Frank George Grace Hana Hugo Ida Igor Iris Ivan Jack Jana Jens John Julia Kai Karim Kate Lara Laura
  Leo Lena Lin Lukas Maria Mark Martha Max Mina Mira Nadia Nina Noah Nora Olga Omar Oscar Paul Petra Rafael Rita Robert Rosa Ruth
  Sam Sara Simon Sofia Stefan Tara Theo Tim Tom Uma Vera Victor Wanda Yara Yusuf Zoe`);

export const VERBS =
  split(`bought found fixed lost finished started planned cleaned sold painted borrowed ordered packed
  repaired forgot noticed compared moved checked tried visited opened closed joined shared built drew learned missed changed counted
  measured received signed sent tested wrote read cooked watched`);

export const QUALITIES =
  split(`old new small big red blue green quiet loud cheap expensive broken beautiful strange favourite
  difficult easy long short heavy light warm cold fresh dusty modern local foreign perfect awful careful busy lovely proud excited
  nervous tired grateful curious early late`);

export const TIMES = [
  ...[
    "yesterday",
    "last week",
    "last month",
    "this morning",
    "on Monday",
    "on Friday",
    "last summer",
    "in spring",
    "two days ago",
  ],
  ...[
    "next week",
    "tomorrow",
    "in June",
    "in October",
    "over the weekend",
    "a year ago",
    "since January",
    "every Tuesday",
  ],
];

/** `N` is a noun, `P` a person, `V` a verb, `Q` a quality, `T` a time, `X` an invented name, `D` a number. */
export const PATTERNS = [
  ...["Hey {P}, how did the {N} go {T}?", "I {V} a {Q} {N} {T}.", "{P} {V} the {N} and I {V} the {N}."],
  ...[
    "We {V} our {N} {T}, and it was really {Q}.",
    "What do you think about the {Q} {N}?",
    "It took {D} hours to get the {N} done.",
  ],
  ...[
    "My {N} is {Q}, so I need a {N}.",
    "That sounds {Q}! Did {P} like the {N}?",
    "I have been thinking about the {N} a lot.",
  ],
  ...[
    "Thanks, {P}, the {N} helped me with my {N}.",
    "There is a {Q} {N} near the {N} called {X}.",
    "Let me look at the {N} first.",
  ],
  ...["The {N} in {X} has {D} {N}s.", "Can you put the {N} into the {N} {T}?", "I am so {Q} about the {N}!"],
  ...["{T} {P} showed me a {N} from {X}.", "No problem, I will send the {N} {T}.", "Sorry, I {V} the wrong {N}."],
  ...[
    "The {Q} {N} reminds me of {P} and the {N}.",
    "You should try {X}, it is good for a {Q} {N}.",
    "How many {N}s do you have now?",
  ],
  ...["I checked the {N}: {D} of {D} are {Q}.", "Here is the {N} you asked for.", "Great news, the {N} is {Q} again!"],
  ...[
    "{P} and I met at the {N} and talked about the {N}.",
    "Why is the {N} so {Q}?",
    "I would rather have a {N} than a {Q} {N}.",
  ],
  ...[
    "The {N} needs a {N} before it is {Q}.",
    "Please remind me of the {N} {T}.",
    "It is {Q} to see how far your {N} has come.",
  ],
  ...["Done: {X}-{D} is in the {N}.", "I never {V} a {N} like that in {X}.", "Which {N} did you take to {X}?"],
];

/** Syllables of invented names. */
export const SYLLABLES =
  split(`ba bel cor dan del fen gar hol jor kal lim lor mar mek nor pel quin ras rov sal sen tam tor ul
  val ven wil yar zan zet`);
