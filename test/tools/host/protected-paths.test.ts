// Which files of a machine a write asks about first.
import { describe, expect, test } from "vitest";
import { gateWrites, whyProtected } from "../../../core/tools/host/protected-paths.ts";

describe("a write asks first", () => {
  test.each([
    ...[
      ".ssh/authorized_keys",
      "sub/.ssh/config",
      ".bashrc",
      "home/.zshrc",
      ".profile",
      ".config/systemd/user/x.service",
    ],
    ...[".netrc", ".npmrc", "a/.git-credentials", "id_ed25519", ".aws/config", ".kube/config", ".docker/config.json"],
    ...[
      ".env",
      ".env.local",
      "app/.envrc",
      ".git/config",
      ".git/hooks/pre-commit",
      "sub/.git/HEAD",
      ".gitmodules",
      ".husky/pre-push",
    ],
    ...[".github/workflows/ci.yml", ".vscode/tasks.json", ".gitlab-ci.yml"],
    ...[
      "AGENTS.md",
      "agents.md",
      "CLAUDE.md",
      "sub/AGENTS.md",
      "SOUL.md",
      ".cursorrules",
      ".cursor/rules/a.mdc",
      ".claude/settings.json",
    ],
    ...["./.env", "a/./.env", ".//.git//config", "/abs/olute/.env"],
  ])("%s", (path) => {
    expect(whyProtected(path)).toMatch(/^It /);
    expect(gateWrites("write to", ["ok.txt", path])).toMatchObject({
      verdict: "ask",
      reasons: [expect.stringContaining(path)],
    });
  });

  test.each([
    "a.txt",
    "env",
    "environment.ts",
    "src/agents.ts",
    "docs/AGENTS.mdx",
    ".gitignore",
    ".github/README.md",
    "ssh/config",
    "x.env.ts",
  ])("not %s", (path) => {
    expect(whyProtected(path)).toBeNull();
    expect(gateWrites("write to", [path])).toEqual({ verdict: "run" });
  });
});
