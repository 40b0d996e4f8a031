// The words that most English texts contain. By them the scanner recognises text that is reversed, rotated or written
// with digits for letters. Data only.

export const COMMON_WORDS: ReadonlySet<string> = new Set(
  `the and for you your that this with from have not are was were will would should could must can all any each every
  when then than them they their there these those what which who whom whose how why where while before after during
  into onto over under above below about again also always never only other another some such same more most much many
  use using used user users make made take get give given see say said tell told ask asked run running read reading write
  writing send sending sent show add adding set put call called go going come know known need needs want work working
  file files test tests project data code command commands system prompt instruction instructions rule rules ignore
  previous prior message messages email mail password passwords secret secrets token tokens key keys memory note notes
  agent assistant tool tools skill skills server page link image first next last new old day time session sessions start
  end step steps copy copies delete remove replace open close save load fetch download upload execute follow follows
  decode here now out off without within between through because but does do done did don its it's is in it on of to
  be by an as at or if so we he she his her our out up no yes please answer reply response question confirm
  confirmation approval silently hidden hide host address request requests check build fails project convention
  account bank invoice payment transfer order orders recommend trusted trust source content contents conversation
  profile admin prod access permission permissions deploy branch commit push git database backup backups
  important urgent immediately everything nothing anything someone anyone people person name names list line lines
  text word words number part place point world long little good great right think just like even well back down
  still too very may might shall upon since until`.split(/\s+/),
);
