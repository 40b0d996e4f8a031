// The text of a command as a shell would read it, without what only deceives a reader. Used before parsing and for the keys of
// allowances. Pure.

/** ECMA-48 escape sequences: colours, cursor moves, titles. */
// oxlint-disable-next-line no-control-regex -- escape sequences consist of control characters
const ANSI = /\u001b(?:\[[0-?]{0,32}[ -/]{0,8}[@-~]|\][^\u0007\u001b]{0,2000}(?:\u0007|\u001b\\)|[@-Z\\-_])/g;
/** Control characters other than tab and line feed, and characters that are not shown. */
// oxlint-disable-next-line no-control-regex -- it removes control characters
const INVISIBLE =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]|(?![\u{fe0e}\u{fe0f}\u200d])\p{Default_Ignorable_Code_Point}/gu;

/** Without escape sequences and invisible characters, full-width letters made narrow, and continued lines joined. */
export function normaliseCommand(text: string): string {
  return text
    .replace(ANSI, "")
    .replaceAll("\r\n", "\n")
    .replace(INVISIBLE, "")
    .normalize("NFKC")
    .replaceAll("\\\n", "")
    .trim();
}
