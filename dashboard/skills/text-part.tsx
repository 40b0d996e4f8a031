// The text of a skill as people and as the agent read it, its other files, what it needs, its checks; and above all its latest change, which
// one click undoes.
import { useState } from "preact/hooks";
import { Badge } from "../components/badge.tsx";
import { Code } from "../components/code.tsx";
import { Facts } from "../components/facts.tsx";
import { Markdown } from "../components/markdown.tsx";
import { formatBytes } from "../components/numbers.ts";
import { Section } from "../components/page.tsx";
import { Time } from "../components/time.tsx";
import { saveFile } from "../data/save-file.ts";
import { Button } from "../components/button.tsx";
import { RevisionCard } from "./history-part.tsx";
import { Needs } from "./needs.tsx";
import { type Files, SKILL_MD, bodyOf, checksOf, endingOf, isText, pathsOf, programsOfPaths, sizeOf } from "./files.ts";
import type { Detail, Revision } from "./words.ts";

interface TextProps {
  skill: Detail;
  /** The present revision; absent until it was read, and for a bundled skill. */
  latest: Revision | undefined;
  first: number;
}

export function TextPart({ skill: { name, head, files, traits, contract }, latest, first }: TextProps) {
  const text = isText(files[SKILL_MD]) ? files[SKILL_MD] : "";
  const others = pathsOf(files).filter((path) => path !== SKILL_MD);
  const isChanged = head !== null && head.rev > first;
  const title = isChanged ? "Latest change" : "How it began";
  return (
    <>
      {head && latest && (isChanged || head.citations.length > 0) && (
        <section class="panel latest" aria-label={title}>
          <h2>{title}</h2>
          <RevisionCard
            {...{ name, first, revision: latest, present: head.rev }}
            isWithdrawn={false}
            isOpenAtFirst={false}
            level={3}
          />
        </section>
      )}
      <SkillText text={text} />
      <Traits {...{ traits, contract, head }} />
      <Checks files={files} health={head?.health} />
      {others.length > 0 && (
        <Section title="Files">
          {others.map((path) => (
            <FileView key={path} path={path} body={files[path]!} canRun={programsOfPaths([path]).length > 0} />
          ))}
        </Section>
      )}
    </>
  );
}

function SkillText({ text }: { text: string }) {
  const [form, setForm] = useState<"read" | "source">("read");
  const body = bodyOf(text);
  return (
    <Section
      title="Text"
      actions={
        <div class="segments" role="group" aria-label="Form of the text">
          <button type="button" aria-pressed={form === "read"} onClick={() => setForm("read")}>
            Markdown
          </button>
          <button type="button" aria-pressed={form === "source"} onClick={() => setForm("source")}>
            Source
          </button>
        </div>
      }
    >
      {form === "source" ? (
        <Code label="Source of SKILL.md" text={text} language="md" />
      ) : (
        <div class="panel skill-text">
          {body.trim() === "" ? <p class="muted">There is no text below the header.</p> : <Markdown text={body} />}
        </div>
      )}
    </Section>
  );
}

function Traits({ traits, contract, head }: Pick<Detail, "traits" | "contract" | "head">) {
  const { tags, parameters, dependencies } = traits;
  const named = Object.entries(parameters);
  const failed = head?.failedWords ?? [];
  const hasNeeds = contract !== null || dependencies.length > 0 || head?.conditions !== undefined;
  if (!hasNeeds && tags.length + named.length + failed.length === 0) return null;
  return (
    <Section title="Contract and needs">
      <div class="stack">
        <Needs conditions={head?.conditions} contract={contract} dependencies={dependencies} />
        {named.length > 0 && (
          <Facts
            facts={Object.fromEntries(
              named.map(([parameter, meaning]) => [`{{${parameter}}}`, meaning || "no description"]),
            )}
          />
        )}
        {tags.length > 0 && (
          <p class="badges">
            {tags.map((tag) => (
              <Badge key={tag}>{tag}</Badge>
            ))}
          </p>
        )}
        {failed.length > 0 && (
          <p class="muted">
            Calls failed with these words of the text, and none has worked since:{" "}
            {failed.map(({ word, day }) => `${word} (${day})`).join(", ")}
          </p>
        )}
      </div>
    </Section>
  );
}

function Checks({ files, health }: { files: Files; health: NonNullable<Detail["head"]>["health"] }) {
  const broken = health?.broken ?? [];
  const checks = checksOf(files, broken);
  const others = broken.filter((text) => !checks.some((check) => check.broken === text));
  if (checks.length === 0 && broken.length === 0) return null;
  return (
    <Section title="Checks">
      <div class="stack">
        {health && (
          <p class="muted">
            Last checked <Time at={health.checkedAt} />.
          </p>
        )}
        <ul class="plain-list">
          {checks.map(({ path, runs, expects, broken: why }) => (
            <li key={path}>
              <Badge tone={why === null ? (health ? "good" : "plain") : "bad"}>
                {why === null ? (health ? "Passed" : "Not run yet") : "Broken"}
              </Badge>{" "}
              <span class="mono">{path}</span>
              <p class="muted small">
                {runs === null ? (
                  "The file is not a check that can be read."
                ) : (
                  <>
                    Runs <code dir="auto">{runs}</code> and expects {expects}.
                  </>
                )}
              </p>
              {why !== null && (
                <p class="small bad" dir="auto">
                  {why}
                </p>
              )}
            </li>
          ))}
          {others.map((text) => (
            <li key={text}>
              <Badge tone="bad">Broken</Badge> <span dir="auto">{text}</span>
            </li>
          ))}
        </ul>
      </div>
    </Section>
  );
}

function FileView({ path, body, canRun }: { path: string; body: Files[string]; canRun: boolean }) {
  const [isOpen, setOpen] = useState(false);
  const save = () =>
    saveFile(path.split("/").at(-1)!, "application/octet-stream", isText(body) ? body : toBytes(body.base64));
  return (
    <details class="file" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <span class="mono">{path}</span> <span class="muted">{formatBytes(sizeOf(body))}</span>{" "}
        {canRun && <Badge tone="warn">Can run</Badge>}
      </summary>
      {isOpen && (
        <div class="stack">
          {isText(body) ? (
            <Code label={path} text={body} language={endingOf(path)} />
          ) : (
            <p class="muted">This file is not text.</p>
          )}
          <p>
            <Button icon="download" onClick={save}>
              Save this file
            </Button>
          </p>
        </div>
      )}
    </details>
  );
}

function toBytes(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}
