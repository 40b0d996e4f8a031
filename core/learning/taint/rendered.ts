// Removes what readers do not see inside words: zero-width characters, emphasis, HTML tags, comments and entities. `le**d**ger`
// and `led&#103;er` both become `ledger`. Called wherever the taint rules compare words or destinations. Pure; linear in the text.

const HAS_MARKS = /[&<*_\u00AD\u200B-\u200F\u2060-\u2064\uFEFF]/;
const INVISIBLE = /[\u00AD\u200B-\u200F\u2060-\u2064\uFEFF]/g;
/** Short comments only: a longer one may carry its own message. */
const COMMENT = /(?<=[\p{L}\p{N}.])<!--\s{0,3}[^<>\s]{0,12}\s{0,3}-->(?=[\p{L}\p{N}.])/gu;
const TAG =
  /(?<=[\p{L}\p{N}.])(?:<\/?(?:a|b|bdo|bdi|code|em|font|i|ins|mark|s|small|span|strong|sub|sup|u|wbr)\b[^<>]{0,80}>){1,4}(?=[\p{L}\p{N}.])/giu;
const EMPHASIS = /(?<=\p{L})(?:\*{1,3}|__)(?=\p{L})/gu;
const ENTITY = /&#(?:x([0-9a-f]{2,6})|(\d{2,7}));/gi;
const LAST_CODE_POINT = 0x10_ff_ff;

export function toRendered(text: string): string {
  if (!HAS_MARKS.test(text)) return text;
  return text
    .replace(INVISIBLE, "")
    .replace(ENTITY, (entity, hex: string | undefined, decimal: string | undefined) => {
      const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
      return code > 31 && code <= LAST_CODE_POINT ? String.fromCodePoint(code) : entity;
    })
    .replace(COMMENT, "")
    .replace(TAG, "")
    .replace(EMPHASIS, "");
}
