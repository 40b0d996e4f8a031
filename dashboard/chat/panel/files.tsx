// The files of a session: open, download, upload, delete. Their names come from models and archives: they are shown as text.
import { useEffect, useRef, useState } from "preact/hooks";
import { fillPath } from "../../../cli/connection/routes.ts";
import { Button } from "../../components/button.tsx";
import { Code } from "../../components/code.tsx";
import { Dialog, confirm } from "../../components/dialog.tsx";
import { quote, showHidden } from "../../components/hidden-text.ts";
import { Icon } from "../../components/icon.tsx";
import { formatBytes } from "../../components/numbers.ts";
import { Empty, ErrorNote, Listed, Loading, MoreButton } from "../../components/states.tsx";
import { useFileDrop } from "../../components/use-file-drop.ts";
import { type Answer, sendBytes } from "../../data/api.ts";
import { useList } from "../../data/list.ts";
import { change } from "../../data/resource.ts";
import { uploadFiles } from "../session/upload-files.ts";

type FileRow = Answer<"GET /v1/sessions/{session}/files">["files"][number];

export function Files({ session, version }: { session: string; version: number }) {
  const list = useList(
    "GET /v1/sessions/{session}/files",
    { params: { session }, query: { limit: "200" } },
    ({ files }) => files,
  );
  const box = useRef<HTMLDivElement>(null);
  useFileDrop(box, (files) => void upload(files));
  const picker = useRef<HTMLInputElement>(null);
  const [opened, setOpened] = useState<FileRow | null>(null);
  // A turn has ended, or a file was put: both may have changed files.
  useEffect(() => {
    if (version > 0) void list.reload();
  }, [version]);
  const upload = async (files: File[]) => {
    await uploadFiles(session, files);
    await list.reload();
  };
  const remove = ({ path }: FileRow) =>
    confirm({
      title: `Delete ${quote(path)}?`,
      text: <p>It is deleted from the session. A checkpoint may still hold what it was.</p>,
      action: "Delete",
      isDanger: true,
      run: async () => {
        await change("DELETE /v1/sessions/{session}/files/{path}", { params: { session, path } }, [
          `/v1/sessions/${session}/`,
        ]);
        await list.reload();
      },
    });
  return (
    <div ref={box}>
      <div class="panel-actions">
        <input
          ref={picker}
          type="file"
          multiple
          class="visually-hidden"
          aria-label="Files to upload"
          tabIndex={-1}
          onChange={(event) => {
            void upload([...(event.currentTarget.files ?? [])]);
            event.currentTarget.value = "";
          }}
        />
        <Button icon="upload" onClick={() => picker.current?.click()}>
          Upload
        </Button>
        {list.items.length > 0 && (
          <a
            class="button"
            href={fillPath("/v1/sessions/{session}/workspace", { session })}
            download={`${session}.zip`}
          >
            <Icon name="download" /> All as a zip
          </a>
        )}
      </div>
      <Listed
        of={list}
        empty={
          <Empty icon="file" title="No files yet">
            <p>Drop files here, or ask the agent to write some.</p>
          </Empty>
        }
      >
        {(items) => (
          <ul class="file-list" aria-label="Files">
            {items.map((file) => (
              <li key={file.path}>
                <button type="button" class="file-name link" dir="auto" onClick={() => setOpened(file)}>
                  {showHidden(file.path)}
                </button>
                <span class="muted small">{formatBytes(file.size)}</span>
                <a
                  class="button button-quiet button-icon"
                  href={addressOf(session, file.path)}
                  download={file.path.split("/").at(-1)}
                  aria-label={`Download ${showHidden(file.path)}`}
                >
                  <Icon name="download" />
                </a>
                <Button
                  kind="quiet"
                  icon="trash"
                  label={`Delete ${showHidden(file.path)}`}
                  onClick={() => remove(file)}
                />
              </li>
            ))}
          </ul>
        )}
      </Listed>
      <MoreButton of={list} />
      {opened && <FileDialog session={session} file={opened} onClose={() => setOpened(null)} />}
    </div>
  );
}

export function addressOf(session: string, path: string): string {
  return fillPath("/v1/sessions/{session}/files/{path}", { session, path });
}

const IMAGE = /\.(?:png|jpe?g|gif|webp)$/i;
const MAX_TEXT_BYTES = 512 * 1024;

function FileDialog({ session, file, onClose }: { session: string; file: FileRow; onClose: () => void }) {
  const { path, size } = file;
  const [text, setText] = useState<string | null | Error>();
  const [image, setImage] = useState<string>();
  useEffect(() => {
    let isOpen = true;
    let address: string | undefined;
    if (size > MAX_TEXT_BYTES && !IMAGE.test(path)) return setText(null);
    void read(session, path).then(
      (blob) => {
        if (!isOpen) return;
        if (IMAGE.test(path)) setImage((address = URL.createObjectURL(blob)));
        else void decode(blob).then(setText);
      },
      (error: Error) => setText(error),
    );
    return () => {
      isOpen = false;
      if (address !== undefined) URL.revokeObjectURL(address);
    };
  }, [session, path]);
  return (
    <Dialog title={path} onClose={onClose}>
      <div class="dialog-body">
        {image !== undefined && <img src={image} alt={path} />}
        {text instanceof Error && <ErrorNote error={text} />}
        {text === undefined && image === undefined && <Loading />}
        {text === null && (
          <p>This file is not text, or too large to show ({formatBytes(size)}). Download it instead.</p>
        )}
        {typeof text === "string" && <Code label={path} text={text} language={path.split(".").at(-1)} />}
        <p>
          <a class="button" href={addressOf(session, path)} download={path.split("/").at(-1)}>
            Download
          </a>
        </p>
      </div>
    </Dialog>
  );
}

async function read(session: string, path: string): Promise<Blob> {
  return (await sendBytes("GET", addressOf(session, path))).blob();
}

/** `null`: not UTF-8. */
async function decode(blob: Blob): Promise<string | null> {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(await blob.arrayBuffer());
    return text.includes("\0") ? null : text;
  } catch {
    return null;
  }
}
