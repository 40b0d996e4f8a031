// Names of skills at their sources: every form that people know, and none that means something else.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatRef, parseIdentifier } from "../../core/hub/finding/identifier.ts";
import type { HubRef, HubSourceName } from "../../core/schemas/hub/lock.ts";

const PROFILE = "0123456789abcdefghjkmnpqrs";

function refOf(source: HubSourceName, identifier: string, version?: string): HubRef {
  return { source, identifier, ...(version !== undefined && { version }) };
}

describe("an identifier", () => {
  it.each<[string, HubRef]>([
    ["anthropics/skills", refOf("github", "anthropics/skills")],
    ["anthropics/skills/skills/pdf", refOf("github", "anthropics/skills/skills/pdf")],
    ["anthropics/skills/skills/pdf/", refOf("github", "anthropics/skills/skills/pdf")],
    ["anthropics/skills/skills/pdf/SKILL.md", refOf("github", "anthropics/skills/skills/pdf")],
    ["anthropics/skills/SKILL.md", refOf("github", "anthropics/skills/.")],
    ["a/b/c@v1.2.0", refOf("github", "a/b/c", "v1.2.0")],
    ["a/b/c#feature/x", refOf("github", "a/b/c", "feature/x")],
    ["a/b/packages/@scope/x@@scope/x@1.0", refOf("github", "a/b/packages/@scope/x", "@scope/x@1.0")],
    ["a/b@pdf", refOf("github", "a/b@pdf")],
    ["a/b#main@pdf", refOf("github", "a/b@pdf", "main")],
    ["github:a/b#main", refOf("github", "a/b", "main")],
    ["https://github.com/a/b", refOf("github", "a/b")],
    ["https://www.github.com/a/b.git", refOf("github", "a/b")],
    ["https://github.com/a/b/tree/main", refOf("github", "a/b", "main")],
    ["https://github.com/a/b/tree/v1/skills/my%20skill", refOf("github", "a/b/skills/my skill", "v1")],
    ["https://github.com/a/b/blob/main/skills/pdf/SKILL.md", refOf("github", "a/b/skills/pdf", "main")],
    [
      "https://github.com/a/b/releases/download/v1/x.zip",
      refOf("url", "https://github.com/a/b/releases/download/v1/x.zip"),
    ],
    ["https://skills.sh/a/b/pdf", refOf("skills-sh", "a/b/pdf")],
    ["skills-sh:a/b/pdf", refOf("skills-sh", "a/b/pdf")],
    ["skills-sh/a/b/pdf", refOf("skills-sh", "a/b/pdf")],
    ["clawhub:gifgrep@1.2.3", refOf("clawhub", "gifgrep", "1.2.3")],
    ["clawhub:@steipete/gifgrep", refOf("clawhub", "steipete/gifgrep")],
    ["https://clawhub.ai/steipete/gifgrep", refOf("clawhub", "steipete/gifgrep")],
    ["https://clawhub.ai/steipete/skills/gifgrep", refOf("clawhub", "steipete/gifgrep")],
    ["well-known:https://example.com/docs#pdf", refOf("well-known", "https://example.com/docs#pdf")],
    ["https://example.com/docs", refOf("well-known", "https://example.com/docs")],
    [
      "https://example.com/.well-known/agent-skills/index.json#pdf",
      refOf("well-known", "https://example.com/.well-known/agent-skills/index.json#pdf"),
    ],
    [
      "well-known:https://example.com/.well-known/skills/pdf",
      refOf("well-known", "https://example.com/.well-known/skills/index.json#pdf"),
    ],
    ["https://example.com/pdf/SKILL.md", refOf("url", "https://example.com/pdf/SKILL.md")],
    ["HTTPS://Example.com/pdf.tar.gz", refOf("url", "https://example.com/pdf.tar.gz")],
    ["url:https://example.com/download?id=3", refOf("url", "https://example.com/download?id=3")],
    [`library:${PROFILE}/pdf`, refOf("library", `${PROFILE}/pdf`)],
  ])("%s is read", (text, ref) => {
    expect(parseIdentifier(text)).toEqual({ ok: true, value: ref });
  });

  it.each([
    ...[
      "",
      " ",
      "pdf",
      "/etc/passwd",
      "./pdf",
      "../a/b",
      "~/skills/pdf",
      "C:\\skills\\pdf",
      "a/b/../../c",
      "a/b/%2e%2e/c",
      "a/b/c\\d",
    ],
    ...[
      "a//c",
      "-a/b",
      "a/b/c@",
      "a/b#",
      "a/b@",
      "a/b/c@..",
      "a/b/c@-x",
      "a/b/c@a b",
      "a/b/c@a..b",
      "a/b/c@x.lock",
      "a/b/c%",
      "a/../b",
    ],
    ...[
      "github:https://github.com/a/b",
      "https://github.com/a",
      "https://github.com/a/b/issues/1",
      "https://github.com/a/b/blob/main/README.txt",
    ],
    ...[
      "skills-sh:a/b",
      "skills-sh:a/b/c/d",
      "skills-sh:a/../c",
      "clawhub:",
      "clawhub:a/b/c",
      "clawhub:..",
      "https://clawhub.ai/",
    ],
    ...[
      "file:///etc/passwd",
      "ftp://example.com/x.zip",
      "data:text/plain,x",
      "javascript:alert(1)",
      "https://user:secret@example.com/x.zip",
    ],
    ...[
      "well-known:example.com",
      "well-known:https://example.com#../x",
      "url:x.zip",
      "library:me/pdf",
      `library:${PROFILE}/PDF`,
      "lobehub:x",
    ],
    ...["a/b\u0000c", "a/b\u202ecod.x", `a/${"b".repeat(3_000)}`, "a/b/\ud800"],
  ])("%j is refused", (text) => {
    expect(parseIdentifier(text)).toMatchObject({
      ok: false,
      failure: {
        code: "bad_hub_ref",
        message: expect.stringMatching(/skills search.*skills import/),
        facts: { forms: expect.any(Array) },
      },
    });
  });

  it("of a pull request is a name like any other, so that GitHub is not asked for what anybody can push", () => {
    expect(parseIdentifier("a/b/c@refs/pull/5/head")).toEqual({
      ok: true,
      value: refOf("github", "a/b/c", "refs/pull/5/head"),
    });
  });
});

// ---- all refs ----

const name = fc.stringMatching(/^[a-z0-9]{1,8}(-[a-z0-9]{1,8})?$/);
const owner = fc.stringMatching(/^[A-Za-z0-9]([A-Za-z0-9-]{0,10}[A-Za-z0-9])?$/);
const repo = fc.stringMatching(/^[\w-][\w.-]{0,10}[\w-]$/).filter((text) => !text.endsWith(".git"));
const folder = fc
  .array(
    fc.stringMatching(/^[\w@#% ä-][\w@#%. ä-]{0,8}[\w@#%ä-]$/).filter((text) => !/^skill\.md$/i.test(text)),
    { minLength: 1, maxLength: 4 },
  )
  .map((names) => names.join("/"));
const gitRef = fc.stringMatching(/^[\w@#%][\w@#%/-]{0,12}\w$/).filter((text) => !/\/\/|@\{/.test(text));
const plainVersion = fc.stringMatching(/^[\w@#%:.+-]{1,20}$/);
const digest = fc.stringMatching(/^sha256:[0-9a-f]{64}$/);
const address = fc.webUrl({ withQueryParameters: true, size: "small" }).map((text) => new URL(text).href);

const githubRef = fc
  .record({
    at: fc.tuple(owner, repo),
    rest: fc.oneof(
      fc.constant(""),
      folder.map((text) => `/${text}`),
      fc.constant("/."),
      name.map((text) => `@${text}`),
    ),
    version: fc.option(gitRef, { nil: undefined }),
  })
  .map(({ at, rest, version }) => refOf("github", at.join("/") + rest, version));
const anyRef = fc.oneof(
  githubRef,
  fc
    .tuple(owner, repo, name, fc.option(plainVersion, { nil: undefined }))
    .filter(([, text]) => !text.includes(".."))
    .map(([a, b, c, version]) => refOf("skills-sh", `${a}/${b}/${c}`, version)),
  fc
    .tuple(fc.option(owner, { nil: undefined }), name, fc.option(plainVersion, { nil: undefined }))
    .map(([a, b, version]) => refOf("clawhub", a === undefined ? b : `${a}/${b}`, version)),
  fc
    .tuple(address, fc.option(name, { nil: undefined }), fc.option(digest, { nil: undefined }))
    .map(([a, b, version]) => refOf("well-known", b === undefined ? a : `${a}#${b}`, version)),
  fc.tuple(address, fc.option(digest, { nil: undefined })).map(([a, version]) => refOf("url", a, version)),
  fc
    .tuple(name, fc.option(plainVersion, { nil: undefined }))
    .map(([a, version]) => refOf("library", `${PROFILE}/${a}`, version)),
);

describe("formatRef", () => {
  it("writes a text that is read as the same ref", () => {
    fc.assert(
      fc.property(anyRef, (ref) => {
        expect(parseIdentifier(formatRef(ref))).toEqual({ ok: true, value: ref });
      }),
      { numRuns: 600, seed: 21 },
    );
  });

  it("is stable for whatever text is read", () => {
    const signs = fc.string({ unit: fc.constantFrom(..."abz09/@#%:.-_~?=& \\\u0000é".split("")), maxLength: 40 });
    const text = fc.oneof(
      fc.string({ unit: "binary" }),
      signs,
      fc
        .tuple(
          fc.constantFrom(
            "github:",
            "clawhub:",
            "url:https://a.b/",
            "well-known:https://a.b/",
            "https://github.com/",
            "skills-sh:",
          ),
          signs,
        )
        .map((parts) => parts.join("")),
    );
    fc.assert(
      fc.property(text, (written) => {
        const read = parseIdentifier(written);
        if (read.ok) expect(parseIdentifier(formatRef(read.value))).toEqual(read);
      }),
      { numRuns: 2_000, seed: 21 },
    );
  });
});
