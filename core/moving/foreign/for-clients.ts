// What a client needs of the rest of the core to move a home: how a skill's folder is read and named, how a conversation's session is called.
// Clients import nothing of the core beside the schemas, the commands and this folder.
export { readFolder } from "../../skills/exchange/import.ts";
export { chooseName } from "../../skills/exchange/skill-name.ts";
export { toTranscriptSession } from "../../session/moving/transcript-rows.ts";
export { quotePath } from "../../zip/quote-path.ts";
