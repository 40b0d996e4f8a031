// Importing skills: files are chosen or dropped, each is shown before it is stored, with what it needs, what it can run and what the scanner
// found in it.
import { useEffect, useRef, useState } from "preact/hooks";
import { Badge } from "../components/badge.tsx";
import { Button } from "../components/button.tsx";
import { Dialog } from "../components/dialog.tsx";
import { countOf, formatBytes } from "../components/numbers.ts";
import { ErrorNote, Loading } from "../components/states.tsx";
import { toast } from "../components/toasts.tsx";
import { type Answer, type AskedArgs, send } from "../data/api.ts";
import { invalidate } from "../data/resource.ts";
import { hrefOf } from "../pages.ts";
import { Findings } from "./findings.tsx";
import { Needs } from "./needs.tsx";
import { programsOfPaths } from "./files.ts";

type Preview = Answer<"POST /v1/skills/import/preview">;

const KINDS = /\.(?:md|markdown|zip|skill|tar\.gz|tgz)$/i;

interface ImportButtonProps {
  /** Chosen or dropped, and not decided yet. */
  files: File[];
  onFiles(files: File[]): void;
  onImported(): void;
}

export function ImportButton({ files, onFiles, onImported }: ImportButtonProps) {
  const input = useRef<HTMLInputElement>(null);
  const choose = () => {
    onFiles([...(input.current!.files ?? [])]);
    input.current!.value = "";
  };
  const [file, ...rest] = files;
  return (
    <>
      <Button kind="primary" icon="upload" onClick={() => input.current!.click()}>
        Import
      </Button>
      <input
        ref={input}
        type="file"
        class="visually-hidden"
        tabIndex={-1}
        aria-label="Skill files to import"
        accept=".md,.markdown,.zip,.skill,.tar.gz,.tgz"
        multiple
        onChange={choose}
      />
      {file && (
        <ImportDialog
          key={`${files.length} ${file.name}`}
          file={file}
          onClose={() => onFiles(rest)}
          onImported={onImported}
        />
      )}
    </>
  );
}

function ImportDialog({ file, onClose, onImported }: { file: File; onClose: () => void; onImported: () => void }) {
  const [preview, setPreview] = useState<Preview>();
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  useEffect(() => {
    const stopped = new AbortController();
    post("POST /v1/skills/import/preview", file, { signal: stopped.signal }).then(
      setPreview,
      (failure: unknown) => stopped.signal.aborted || setError(failure),
    );
    return () => stopped.abort();
  }, []);
  async function run(): Promise<void> {
    setBusy(true);
    setError(undefined);
    try {
      const { name } = await post("POST /v1/skills/import", file, { replace: preview!.exists });
      await invalidate("/v1/skills");
      toast(`The skill ${name} was imported. It is on trial until it has helped.`);
      onImported();
      onClose();
    } catch (failure) {
      setError(failure);
      setBusy(false);
    }
  }
  return (
    <Dialog title={preview ? `Import ${preview.name}?` : "Import a skill"} onClose={onClose}>
      <div class="stack">
        {error !== undefined && <ErrorNote error={error} />}
        {!preview && error === undefined && <Loading />}
        {preview && <Report preview={preview} file={file.name} />}
      </div>
      <div class="dialog-foot">
        <Button onClick={onClose}>Cancel</Button>
        {preview && (
          <Button kind={preview.exists ? "danger" : "primary"} isBusy={isBusy} onClick={() => void run()}>
            {preview.exists ? "Replace" : "Import"}
          </Button>
        )}
      </div>
    </Dialog>
  );
}

/** What the API says of it, before anything is stored. */
function Report({ preview, file }: { preview: Preview; file: string }) {
  const { name, description, exists, files, warnings, findings, conditions, contract, dependencies } = preview;
  const paths = Object.keys(files);
  const programs = programsOfPaths(paths);
  return (
    <>
      <p dir="auto">{description}</p>
      {exists && (
        <p class="note note-warn">
          There is a skill of this name. Its files are replaced by these; its earlier revisions stay in its{" "}
          <a href={hrefOf("skills", name, "history")}>history</a>.
        </p>
      )}
      <Findings findings={findings} />
      <section aria-label="Files">
        <h3>
          {countOf(paths.length, "file")} in {file}
        </h3>
        <ul class="plain-list">
          {paths.map((path) => (
            <li key={path}>
              <span class="mono">{path}</span> <span class="muted">{formatBytes(files[path]!)}</span>
              {programs.includes(path) && (
                <>
                  {" "}
                  <Badge tone="warn">Can run</Badge>
                </>
              )}
            </li>
          ))}
        </ul>
      </section>
      <Needs conditions={conditions} contract={contract} dependencies={dependencies} />
      {warnings.length > 0 && (
        <section aria-label="Remarks">
          <h3>Remarks</h3>
          <ul class="bullets">
            {warnings.map((warning) => (
              <li key={warning} dir="auto">
                {warning}
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

type ImportRoute = "POST /v1/skills/import" | "POST /v1/skills/import/preview";

/** The file as it is. Its name is not part of the request. */
async function post<R extends ImportRoute>(
  route: R,
  file: File,
  { replace = false, signal }: { replace?: boolean; signal?: AbortSignal } = {},
): Promise<Answer<R>> {
  if (!KINDS.test(file.name)) {
    throw new Error(`${file.name} is not a skill. Choose a SKILL.md, or an archive: .zip, .skill, .tar.gz.`);
  }
  const type = /\.(?:md|markdown)$/i.test(file.name) ? "text/markdown" : "application/octet-stream";
  // The route also takes bytes, which its description in types leaves out.
  const asked = {
    ...{ body: file, headers: { "content-type": type }, ...(signal && { signal }) },
    ...(replace && { query: { replace: "1" } }),
  };
  const response = await send(route, ...([asked] as unknown as AskedArgs<R>));
  return (await response.json()) as Answer<R>;
}
