// Shortens a request to a few words, for a skill's name and description. Pure.

/** Stop words in the languages of the surfaces. */
const COMMON = new Set(
  (
    "the and for with from that this what which who how when where why all any are can could did does don't has have her his its it's " +
    "into not now our out please should some tell than them then they too use was were will would you your yours make give get put " +
    "today tonight tomorrow yesterday " +
    "aber auf aus bitte das dass dem den der die ein eine einen einer für ich ist mal mein meine mir mit nach nicht noch uns unser " +
    "unsere von was wie wir zum zur aux avec ces cette dans des est les leur mes moi mon nos notre nous par pas pour que quel qui ses " +
    "son sur une vos votre como con cuál del ella esta este las los mis muy para pero por qué sin sus una com dos mais meu minha nas " +
    "não seu sua uma"
  ).split(" "),
);

const MAX_WORDS = 4;
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;
const MAX_UNSPACED_CHARS = 12;

/** Up to four content words. For scripts without spaces: the beginning of the first two runs. */
export function chooseWordsAbout(request: string): string[] {
  if (UNSPACED.test(request)) {
    const runs = request.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{L}]+/gu) ?? [];
    return runs.slice(0, 2).map((run) => [...run].slice(0, MAX_UNSPACED_CHARS).join(""));
  }
  const words = request.toLowerCase().match(/\p{L}[\p{L}'’-]*/gu) ?? [];
  const telling = words.filter((word) => word.length > 2 && !COMMON.has(word));
  return [...new Set(telling)].slice(0, MAX_WORDS);
}

export function describeKind(request: string): string {
  return chooseWordsAbout(request).join(", ");
}

/** Lower-case words without accents, joined by hyphens. With fewer than two such words, the name begins with `area`. */
export function chooseName(request: string, area: string): string {
  const plain = chooseWordsAbout(request).flatMap((word) => {
    const letters = word.normalize("NFKD").replace(/[^a-z-]/g, "");
    return /^[a-z]{2,16}$/.test(letters) ? [letters] : [];
  });
  const parts = plain.length >= 2 ? plain.slice(0, 3) : [area, ...plain, "work"];
  return parts.join("-");
}
