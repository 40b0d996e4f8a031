// Which sentences are removed when calls have refuted some words of a text, and which are kept.
import { describe, expect, it } from "vitest";
import { removeRefutedSentences } from "../../../core/learning/evidence/refuted.ts";

const HEAD = "---\nname: films\ndescription: d\n---\n\n# Films\n\n";
const skill = (body: string, more: Record<string, string> = {}) => ({ files: { "SKILL.md": HEAD + body, ...more } });
const left = (body: string, ...words: string[]) =>
  removeRefutedSentences(skill(body), words)?.files["SKILL.md"]?.slice(HEAD.length);

describe("removed with a refuted word:", () => {
  it("the sentence that gives the word between code marks", () => {
    const body = "- Burn with `film burn --place bottom`. Check the first scene.\n- Time with `ntsc`.\n";
    expect(left(body, "bottom")).toBe("- Check the first scene.\n- Time with `ntsc`.\n");
  });

  it("a list item of which nothing is left", () => {
    expect(left("1. Burn with `--place bottom`.\n2. Time with `ntsc`.\n", "bottom")).toBe("2. Time with `ntsc`.\n");
  });

  it("each of several words, in every file that is read", () => {
    const files = { "references/time.md": "Time with `ntsc`.\n\nPlay it.\n", "scripts/run.sh": "film time `ntsc`\n" };
    expect(removeRefutedSentences(skill("Burn `bottom`.\n\nPlay it.\n", files), ["ntsc", "bottom", "other"])).toEqual({
      files: {
        ...{ "SKILL.md": `${HEAD}Play it.\n`, "references/time.md": "Play it.\n" },
        "scripts/run.sh": files["scripts/run.sh"],
      },
      words: ["bottom", "ntsc"],
      isEmpty: false,
    });
  });

  it.each([
    "First burn with `--place bottom`.",
    "Before the import `--place bottom` must be given.",
    "Pass `--place bottom` to avoid errors.",
    "In case of errors pass `--place bottom`.",
    "Pass `--place bottom` instead.",
    "Read it with `film logs`, `--place bottom` of it.",
  ])("an order in any wording: %s", (line) => {
    expect(left(`${line}\n\nPlay it.\n`, "bottom")).toBe("Play it.\n");
  });

  it.each(["safe", "dry", "maximum", "requirements", "--fast"])(
    "a word that only begins like an option that protects: %s",
    (word) => {
      expect(left(`Burn with \`film ${word}\`.\n\nPlay it.\n`, word)).toBe("Play it.\n");
    },
  );

  it("a following sentence that refers to it with a pronoun", () => {
    expect(left("Play it. Burn with `bottom`. It takes long. Keep the log.\n", "bottom")).toBe(
      "Play it. Keep the log.\n",
    );
    expect(left("Burn with `bottom`. Without it titles go. This too.\n\nIt ends.\n", "bottom")).toBe("It ends.\n");
    // What goes on from what stays, stays.
    expect(left("Play it. It is short. Burn with `bottom`.\n", "bottom")).toBe("Play it. It is short.\n");
  });

  it("a command that only its name makes look like a check", () => {
    expect(left("Read it with `film history`.\n\nPlay it.\n", "history")).toBe("Play it.\n");
  });

  it("the whole text if only a heading would be left", () => {
    expect(removeRefutedSentences(skill("Burn `bottom`.\n"), ["bottom"])).toMatchObject({ isEmpty: true });
  });
});

describe("kept despite a refuted word:", () => {
  it.each([
    ["a caution", "Show it first with `--preview`.\n", "--preview"],
    ["a safety option", "Burn with `--dry-run`.\n", "--dry-run"],
    ["another safety option", "Copy with `--verify`, whatever it takes.\n", "--verify"],
    ["an ordinary word", "The bottom is where it goes.\n", "bottom"],
    ["part of a longer word", "Burn with `bottomless`.\n", "bottom"],
    ["a file, a path or a figure, which belong to the task", "Take `a.csv`, `/tmp/films` and `42`.\n", "a.csv"],
    ["a line of a code block", "```\nfilm burn `bottom`\n```\n", "bottom"],
    ["a caution", "Never burn with `bottom`.\n", "bottom"],
    ["a choice between two", "Burn with `top`, not `bottom`.\n", "bottom"],
    ["an observation", "`bottom` fails on films without sound.\n", "bottom"],
    ["a caution in another language", "Statt `bottom` immer `top`.\n", "bottom"],
    ["a caution in a script without spaces", "`bottom`は使用しません。\n", "bottom"],
    ["a word of two otherwise different commands", "Set it with `date -d`.\n\nCut with `cut -d ,`.\n", "-d"],
    ["the effect of the word", "`bottom` garbles the titles.\n", "bottom"],
    ["an instruction to change it", "Change `bottom` to `top`.\n", "bottom"],
    ["an instruction to leave it out", "Leave out `bottom`.\n", "bottom"],
    ["an instruction to remove it", "Remove `bottom` from the command.\n", "bottom"],
    ["a preference for another word", "Prefer `top` over `bottom`.\n", "bottom"],
    ["a former way", "The old way was `bottom`.\n", "bottom"],
    ["a missing feature", "Older versions lack `bottom`.\n", "bottom"],
    ["an instruction to skip it", "`bottom` is slow on films; skip it.\n", "bottom"],
    ["an address", "Get it from `https://films.example/v1`.\n", "https://films.example/v1"],
    ["a host", "Copy it to `films.local`.\n", "films.local"],
    ["a file with an unknown extension", "Begin with `main.go`.\n", "main.go"],
    ["a file without an extension", "Begin with `Makefile`.\n", "Makefile"],
    ["a hidden file", "Begin with `.env`.\n", ".env"],
    ["the introduction of a list", "Burn with `bottom`:\n\n- scenes\n- titles\n", "bottom"],
    ["the header of a table", "| `bottom` | Use |\n|---|---|\n| a | b |\n", "bottom"],
    ["a word that did not fail", "Burn `bottom`.\n", "top"],
  ])("%s", (_what, body, word) => expect(removeRefutedSentences(skill(body), [word])).toBeNull());

  it.each(
    (
      "--force-with-lease --ff-only --fail --locked --frozen-lockfile --strict --interactive --single-transaction --atomic --preserve --keep " +
      "--no-clobber --no-overwrite --ignore-existing --ignore-scripts --max-delete --require-hashes --simulate --what-if -WhatIf --dry --plan " +
      "--sign --cacert --cap-drop --abort-on-error --exit-code --redact --mask --read-only --readonly READ_ONLY nounset errexit pipefail " +
      "ON_ERROR_STOP --confirm --backup --sandbox --limit"
    ).split(" "),
  )("a safety option: %s", (word) => {
    expect(removeRefutedSentences(skill(`Burn with \`film ${word}\`.\n`), [word])).toBeNull();
  });

  it.each(["user@films", "C:\\films", "films/new", "README", "@films/new"])("a place: %s", (word) => {
    expect(removeRefutedSentences(skill(`Burn with \`film ${word}\`.\n`), [word])).toBeNull();
  });

  it.each(["Back up first: `film bottom`.", "Ask before `film bottom`.", "Look at it with care: check `film bottom`."])(
    "what has something checked, saved or asked: %s",
    (line) => {
      expect(removeRefutedSentences(skill(`${line}\n`), ["bottom"])).toBeNull();
    },
  );

  it("a heading and the frontmatter", () => {
    const files = { "SKILL.md": "---\nname: films\ndescription: Burn `bottom`.\n---\n\n# With `bottom`\n" };
    expect(removeRefutedSentences({ files }, ["bottom"])).toBeNull();
  });
});
