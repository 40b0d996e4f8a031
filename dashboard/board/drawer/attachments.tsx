// The files of the open card: put there by drop, by choice, or from an address; saved; deleted.
import { useRef, useState } from "preact/hooks";
import { fillPath } from "../../../cli/connection/routes.ts";
import { Button } from "../../components/button.tsx";
import { quote } from "../../components/hidden-text.ts";
import { confirm } from "../../components/dialog.tsx";
import { Field } from "../../components/field.tsx";
import { Icon } from "../../components/icon.tsx";
import { formatBytes } from "../../components/numbers.ts";
import { ErrorNote } from "../../components/states.tsx";
import { Time } from "../../components/time.tsx";
import { useAttempt } from "../../components/use-attempt.ts";
import { useFileDrop } from "../../components/use-file-drop.ts";
import { call } from "../../data/api.ts";
import { may } from "../../data/sign-in.ts";
import { say } from "../card-changes.ts";
import { type CardDetail, nameAuthor } from "../cards.ts";
import { nameOfAddress } from "./name-of-address.ts";

interface AttachmentsProps {
  board: string;
  card: string;
  attachments: CardDetail["attachments"];
  reload(): Promise<void>;
}

const FILE = "/v1/boards/{board}/cards/{card}/attachments/{attachment}" as const;
const UPLOAD_MS = 300_000;

export function Attachments({ board, card, attachments, reload }: AttachmentsProps) {
  const { isBusy, error, run: attempt } = useAttempt();
  const [url, setUrl] = useState("");
  const input = useRef<HTMLInputElement>(null);
  const part = useRef<HTMLElement>(null);
  const mayWrite = may("write");
  const isOver = useFileDrop(part, (files) => void upload(files), mayWrite);
  const paramsOf = (attachment: string) => ({ params: { board, card, attachment } });

  const run = (change: () => Promise<unknown>, sentence: string) =>
    attempt(async () => {
      await change();
      say(sentence);
      await reload();
    });

  async function upload(files: File[]): Promise<void> {
    for (const file of files) {
      const headers = { "content-type": file.type || "application/octet-stream" };
      const asked = { ...paramsOf(file.name), body: file, headers, signal: AbortSignal.timeout(UPLOAD_MS) };
      if (!(await run(() => call(`PUT ${FILE}`, asked as never), `${quote(file.name)} is on the card.`))) return;
    }
  }

  async function fetchFile(event: Event): Promise<void> {
    event.preventDefault();
    const name = nameOfAddress(url);
    const get = () => call(`POST ${FILE}/fetch`, { ...paramsOf(name), body: { url } });
    if (await run(get, `${quote(name)} is on the card.`)) setUrl("");
  }

  const remove = (name: string) =>
    confirm({
      title: `Delete ${quote(name)}?`,
      text: "The file is lost. This cannot be undone.",
      action: "Delete file",
      isDanger: true,
      async run() {
        await call(`DELETE ${FILE}`, paramsOf(name));
        await reload();
      },
    });

  return (
    <section class="drawer-part attachments" aria-label="Files" data-over={isOver || undefined} ref={part}>
      <h3>Files</h3>
      {attachments.length === 0 && <p class="muted">No files.{mayWrite && " Drop some here."}</p>}
      <ul class="files">
        {attachments.map(({ name, bytes, author, at }) => (
          <li key={name}>
            <Icon name="file" />
            <a href={toPath(board, card, name)} download={name} dir="auto">
              {name}
            </a>
            <span class="muted small">
              {formatBytes(bytes)}, <span dir="auto">{nameAuthor(author)}</span>, <Time at={at} />
            </span>
            {mayWrite && (
              <Button kind="quiet" icon="trash" label={`Delete ${quote(name)}`} onClick={() => remove(name)} />
            )}
          </li>
        ))}
      </ul>
      {mayWrite && (
        <>
          <input
            ref={input}
            type="file"
            multiple
            class="visually-hidden"
            tabIndex={-1}
            aria-label="Files for the card"
            onChange={({ currentTarget }) => {
              void upload([...(currentTarget.files ?? [])]);
              currentTarget.value = "";
            }}
          />
          <Button icon="upload" isBusy={isBusy} onClick={() => input.current?.click()}>
            Choose files
          </Button>
          <form class="drawer-form" onSubmit={(event) => void fetchFile(event)}>
            <Field label="From an address" hint="The server fetches it. It is material, not your word.">
              {(props) => (
                <input
                  {...props}
                  type="url"
                  placeholder="https://…"
                  value={url}
                  onInput={({ currentTarget }) => setUrl(currentTarget.value)}
                />
              )}
            </Field>
            <Button type="submit" isBusy={isBusy} disabled={url === ""}>
              Fetch
            </Button>
          </form>
        </>
      )}
      {error !== undefined && <ErrorNote error={error} />}
    </section>
  );
}

function toPath(board: string, card: string, name: string): string {
  return fillPath("/v1/boards/{board}/cards/{card}/attachments/{name}", { board, card, name });
}
