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
    ...["sub/.git", ".git/", ".SSH/authorized_keys", ".Env", "a/.BASHRC", "ID_RSA"],
    ...[
      ".pre-commit-config.yaml",
      "lefthook.yml",
      ".githooks/pre-push",
      ".husky/_/husky.sh",
      ".travis.yml",
      "Jenkinsfile",
    ],
    ...[
      ".github/actions/a/action.yml",
      "azure-pipelines.yml",
      ".forgejo/workflows/a.yml",
      "a/sitecustomize.py",
      "x.pth",
    ],
    ...[".cargo/config.toml", ".Rprofile", ".gdbinit", ".vimrc", "mise.toml", ".zed/tasks.json"],
    ...["CLAUDE.local.md", ".mcp.json", ".codex/config.toml", ".github/copilot-instructions.md", ".clinerules/a.md"],
    ...["./.env", "a/./.env", ".//.git//config", "/abs/olute/.env"],
  ])("%s", (path) => {
    const why = whyProtected(path);
    expect(why).toMatch(/^It /);
    // The approval model trusts the reasons, so they have no words of the call.
    const asked = { verdict: "ask", reasons: [why] };
    expect(gateWrites("write to", ["ok.txt", path])).toEqual({
      ...asked,
      summary: `write to ok.txt, ${path}\n${path}: ${why}`,
    });
    expect(gateWrites("write to", [path])).toEqual({ ...asked, summary: `write to ${path}` });
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
    "src/.gitkeep",
    "docs/actions/a.yml",
    "cargo/config.toml",
  ])("not %s", (path) => {
    expect(whyProtected(path)).toBeNull();
    expect(gateWrites("write to", [path])).toEqual({ verdict: "run" });
  });
});
