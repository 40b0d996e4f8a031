import { describe, expect, it } from "vitest";
import { checkTitle, createSessionWords } from "../../../core/learning/review/rules/one-off.ts";
import { assistant, call, tool, user } from "../sample.ts";

const read = call("c", "read_file", { path: "notes/sales-q3.csv" });
const WORDS = createSessionWords({
  entries: [
    user(1, "Please do SHOP-4711 (see #8123) with sales-q3.csv, as UTF-8 and ISO-8601."),
    assistant(2, "", [read]),
    tool(3, read, { outcome: { lines: 3 }, content: { text: "See package.json and RFC-9110." } }),
  ],
});

const ARTEFACTS = [
  ["fix-pr-123", "a ticket or a pull request"],
  ["issue-42-follow-up", "a ticket or a pull request"],
  ["jira-abc-99-cleanup", "a ticket or a pull request"],
  ["report-2026-01-05", "a date"],
  ["report-2026-01", "a date"],
  ["minutes-jan-5", "a date"],
  ["fix-login-today", "one day"],
  ["upgrade-to-v2-3-1", "a version"],
  ["patch-1-2-3-release", "a version"],
  ["revert-3f2a91c", "a hash"],
  ["order-8812345", "a number of one case"],
  ["fix-e0382", "an error's code"],
  ["handle-exit-code-127", "an error's code"],
  ["debug-econnrefused", "an error's code"],
  ["fix-typeerror", "an error's name"],
  ["nullpointerexception-in-checkout", "an error's name"],
  ["module-not-found-lodash", "an error's words"],
  ["fix-restore-error", "one repair"],
  ["debug-the-checkout-crash", "one repair"],
  ["doing-shop-4711", "the ticket SHOP-4711"],
  ["case-8123", "the number #8123"],
  ["adding-up-sales-q3-csv", "the file sales-q3.csv"],
];

const CLASSES = [
  ...["restoring-database-backups", "adding-up-columns", "handling-http-429", "error-handling", "fixing-flaky-tests"],
  ...[
    "reading-utf-8",
    "checking-iso-8601-dates",
    "editing-package-json",
    "oauth-2-1",
    "python-3-12",
    "wcag-2",
    "gpt-4-prompts",
  ],
  ...[
    "resolve-merge-conflicts",
    "reporting-errors",
    "mirroring-repositories",
    "exporting-csv",
    "rfc-9110",
    "working-with-next-js",
  ],
  ...[
    "marching-orders",
    "decade-review",
    "facade-patterns",
    "debugging-memory",
    "fix-ci",
    "0x-swap",
    "k8s-backup",
    "3-statement-model",
  ],
];

describe("the name of a new skill", () => {
  it.each(ARTEFACTS)("'%s' is refused as %s", (name, what) => {
    const failure = checkTitle(name, WORDS);
    expect(failure).toMatchObject({ code: "artefact_name", message: expect.stringContaining(`after ${what}, which`) });
  });

  it.each(CLASSES)("'%s' is accepted", (name) => {
    expect(checkTitle(name, WORDS)).toBeNull();
  });

  it("may be any name for a companion", () => {
    expect(checkTitle("fix-pr-123-local", WORDS)).toBeNull();
  });
});
