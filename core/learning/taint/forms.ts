// How the words of a session were written: with a capital where nothing begins, never small, as part of a host. By it names are
// told from other words. Filled and asked by taint-index.ts, with words as numbers. Pure.
import { COMMON_WORDS } from "../../skills/scanner/common-words.ts";
import { hostsIn } from "./fragments.ts";
import { isGerman, isHeadline, tokensOf } from "./text.ts";

const LEAST_NAME_CHARS = 4;
/** Before a word that does not begin anything. */
const WITHIN = /[\p{Ll}\p{N},] $/u;
/** Who has a host that everybody names leads nobody astray. */
const EVERYBODYS = new Set(
  (
    "github gitlab google npmjs pypi python docker microsoft apple amazon amazonaws mozilla wikipedia cloudflare debian " +
    "ubuntu local"
  ).split(" "),
);

interface Form {
  key: number;
  isLower: boolean;
  /** It has a capital, and begins nothing. */
  isNamed: boolean;
}

/** Of a word of `text`, as it stands there. */
export function formAt(text: string, { word, at }: { word: string; at: number }, key: number): Form {
  const isLower = text[at] === word[0];
  return {
    ...{ key, isLower },
    isNamed: !isLower && word.length >= LEAST_NAME_CHARS && WITHIN.test(text.slice(Math.max(0, at - 3), at)),
  };
}

export class TaintForms {
  readonly #isLower: boolean[] = [];
  readonly #isNamed: boolean[] = [];
  readonly #isHost: boolean[] = [];

  noteLower(key: number): void {
    this.#isLower[key] = true;
  }

  /** Words of one sentence of content: a capital makes a name where not every noun, or every word, has one. */
  noteSentence(forms: Form[], sentence: string): void {
    const saysNames = forms.some(({ isNamed }) => isNamed) && !isGerman(sentence) && !isHeadline(sentence);
    for (const { key, isLower, isNamed } of forms) {
      if (isLower) this.#isLower[key] = true;
      else if (isNamed && saysNames) this.#isNamed[key] = true;
    }
  }

  /** Whoever a host of content is called after has a name, however it is written. */
  noteHosts(text: string, keyIn: (word: string) => number | null): void {
    for (const host of hostsIn(text)) {
      for (const { word } of tokensOf(host.split(".").at(-2) ?? "")) {
        const key = word.length < LEAST_NAME_CHARS ? null : keyIn(word);
        if (key !== null && key >= 0 && !EVERYBODYS.has(word) && !COMMON_WORDS.has(word)) this.#isHost[key] = true;
      }
    }
  }

  isHost(key: number): boolean {
    return this.#isHost[key] === true;
  }

  /** `as`: it was a name where it stood, or at least nowhere written small. */
  isName(key: number, as: "named" | "never small"): boolean {
    return this.#isLower[key] !== true && (as === "never small" || this.#isNamed[key] === true);
  }
}
