// Replicas of skills.sh and of ClawHub, as the `skills` CLI (1.7.4) and the `clawhub` CLI (0.23.3) read them.
import { createHash } from "node:crypto";
import { zipSync } from "fflate";

interface Snapshot {
  files: Record<string, string>;
  hash: string;
  installs: number;
  name: string;
}

export function createSkillsSh() {
  /** By `owner/repo/slug`. */
  const snapshots = new Map<string, Snapshot>();
  return {
    snapshots,
    add(id: string, files: Record<string, string>, installs = 1): void {
      const hash = createHash("sha256");
      for (const path of Object.keys(files).sort()) hash.update(path).update(files[path]!);
      snapshots.set(id, { files, installs, hash: hash.digest("hex"), name: id.split("/")[2]! });
    },
    handle(request: Request): Response {
      const { pathname, searchParams } = new URL(request.url);
      if (pathname === "/api/search") {
        const query = searchParams.get("q") ?? "";
        const found = [...snapshots].filter(([id]) => id.includes(query)).slice(0, Number(searchParams.get("limit")));
        const skills = found.map(([id, { name, installs }]) => ({
          id,
          skillId: name,
          name,
          installs,
          source: id.split("/").slice(0, 2).join("/"),
        }));
        return Response.json({ query, searchType: "fuzzy", skills, count: skills.length, duration_ms: 3 });
      }
      const snapshot = snapshots.get(decodeURIComponent(pathname.replace("/api/download/", "")));
      if (!snapshot) return Response.json({ error: "Not found" }, { status: 404 });
      const files = Object.entries(snapshot.files).map(([path, contents]) => ({ path, contents }));
      return Response.json({ files, hash: snapshot.hash });
    },
  };
}

interface ClawSkill {
  owner: string;
  summary: string;
  /** By version, the newest last. */
  versions: Map<string, Record<string, string>>;
  moderation: { isSuspicious: boolean; isMalwareBlocked: boolean; verdict: string; summary?: string } | null;
  /** In place of versions. */
  github?: { repo: string; path: string; commit: string };
}

export function createClawhub() {
  const skills = new Map<string, ClawSkill>();
  const state = {
    /** Files that the archive has, in place of those that the version lists. */
    tampered: null as Record<string, string> | null,
    /** Answered instead of everything, while set. */
    limited: null as (() => Response) | null,
    /** A version's answer has no list of files. */
    unlisted: false,
  };

  function handle(request: Request): Response {
    const { pathname, searchParams } = new URL(request.url);
    if (state.limited) return state.limited();
    if (pathname === "/api/v1/search") return answerSearch(searchParams.get("q") ?? "");
    const [, inPath, rest = ""] = /^\/api\/v1\/skills\/([^/]+)(?:\/(.*))?$/.exec(pathname) ?? [];
    const slug = pathname === "/api/v1/download" ? searchParams.get("slug")! : inPath;
    const skill = skills.get(slug ?? "");
    const owner = searchParams.get("ownerHandle");
    if (!skill || (owner !== null && owner !== skill.owner)) return new Response("Skill not found", { status: 404 });
    if (pathname === "/api/v1/download") return answerDownload(skill, slug!, searchParams.get("version"));
    if (rest === "") return answerSkill(skill, slug!);
    if (rest === "install") return answerInstall(skill, slug!);
    return answerVersion(skill, slug!, decodeURIComponent(rest.replace("versions/", "")));
  }

  function answerSearch(query: string): Response {
    const found = [...skills].filter(([slug, { summary }]) => `${slug} ${summary}`.includes(query));
    const results = found.map(([slug, { owner, summary, versions, moderation }]) => ({
      ...{
        id: `skills:${slug}`,
        source: "clawhub",
        score: 0.9,
        slug,
        ownerHandle: owner,
        displayName: slug,
        summary,
        downloads: 7,
      },
      ...{
        version: [...versions.keys()].at(-1) ?? null,
        install: { kind: "clawhub", reference: `@${owner}/${slug}`, sourceUrl: null },
      },
      trust: {
        visibility: "public",
        installability: "installable",
        clawHubVerdict: moderation?.verdict ?? null,
        upstreamScanners: null,
        sourceFreshness: "native",
      },
    }));
    return Response.json({ results });
  }

  function answerSkill({ owner, summary, versions, moderation }: ClawSkill, slug: string): Response {
    const latest = [...versions.keys()].at(-1);
    return Response.json({
      skill: { slug, displayName: slug, summary, tags: { latest }, stats: {}, createdAt: 1, updatedAt: 2 },
      latestVersion: latest === undefined ? null : { version: latest, createdAt: 1, changelog: "" },
      ...{ metadata: null, owner: { handle: owner, displayName: owner, image: null }, moderation },
    });
  }

  function answerVersion({ versions }: ClawSkill, slug: string, version: string): Response {
    const files = versions.get(version);
    if (!files) return new Response("Version not found", { status: 404 });
    const listed = Object.entries(files).map(([path, text]) => ({
      path,
      size: text.length,
      sha256: sha256(text),
      contentType: "text/plain",
    }));
    const answered = { version, createdAt: 1, changelog: "", ...(!state.unlisted && { files: listed }) };
    return Response.json({ version: answered, skill: { slug, displayName: slug } });
  }

  function answerInstall({ github, versions }: ClawSkill, slug: string): Response {
    if (github) {
      const sourceUrl = `https://github.com/${github.repo}/tree/${github.commit}/${github.path}`;
      return Response.json({
        ok: true,
        slug,
        installKind: "github",
        github: { ...github, contentHash: sha256(""), sourceUrl },
      });
    }
    const version = [...versions.keys()].at(-1);
    if (version !== undefined)
      return Response.json({
        ok: true,
        slug,
        installKind: "archive",
        archive: { version, downloadUrl: "https://clawhub.ai/api/v1/download" },
      });
    return Response.json(
      { ok: false, slug, reason: "archive_version_missing", message: "No version.", status: 409 },
      { status: 409 },
    );
  }

  function answerDownload({ versions, owner }: ClawSkill, slug: string, wanted: string | null): Response {
    const version = wanted ?? [...versions.keys()].at(-1)!;
    const files = state.tampered ?? versions.get(version);
    if (!files) return new Response("Version not available", { status: 410 });
    const meta = JSON.stringify({ ownerId: owner, slug, version, publishedAt: 1 });
    const packed = Object.entries({ ...files, "_meta.json": meta }).map(
      ([path, text]) => [path, new TextEncoder().encode(text)] as const,
    );
    return new Response(zipSync(Object.fromEntries(packed)) as BodyInit, {
      headers: { "content-type": "application/zip" },
    });
  }

  return {
    ...{ skills, state, handle },
    add(slug: string, version: string, files: Record<string, string>, more: Partial<ClawSkill> = {}): ClawSkill {
      const skill: ClawSkill = skills.get(slug) ?? {
        owner: "steipete",
        summary: `A skill named ${slug}`,
        versions: new Map(),
        moderation: null,
        ...more,
      };
      skill.versions.set(version, files);
      skills.set(slug, skill);
      return skill;
    },
  };
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
