// Where a message is written: text, images, files, commands. It is there before anything is read. Used by the chat page.
import type { RefObject } from "preact";
import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Button } from "../../components/button.tsx";
import { quote } from "../../components/hidden-text.ts";
import { toastError } from "../../components/toasts.tsx";
import { useFileDrop } from "../../components/use-file-drop.ts";
import { useUnsaved } from "../../components/use-unsaved.ts";
import { keepInTab, readFromTab } from "../../data/preferences.ts";
import { may } from "../../data/sign-in.ts";
import { readImage, sortFiles } from "./attachments.ts";
import { type BusyMode, type Composed, type GivenImage, joinTexts } from "../session/outgoing.ts";
import { useSuggestions } from "./suggestions.tsx";

interface ComposerProps {
  /** Files may be dropped anywhere on it. */
  dropOn: RefObject<HTMLElement | null>;
  /** Whose draft it is: a session, or `new`. */
  draft: string;
  /** A turn runs. */
  isBusy: boolean;
  /** The agent has asked something: a message is the answer. */
  isAsked: boolean;
  /** A message that comes back: it was refused. It stands before what has been written since. */
  returned: Composed | null;
  onSend(message: Composed): void;
  onStop(): void;
  /** Files other than images, for the workspace. */
  onFiles(files: File[]): void;
}

const MODES: { value: BusyMode; name: string; hint: string }[] = [
  { value: "queue", name: "Queue", hint: "Sent when this turn has ended" },
  { value: "steer", name: "Steer", hint: "Joins the running turn" },
  { value: "interrupt", name: "Interrupt", hint: "Ends the turn, then begins" },
];

export function Composer({ dropOn, draft, isBusy, isAsked, returned, onSend, onStop, onFiles }: ComposerProps) {
  const area = useRef<HTMLTextAreaElement>(null);
  const picker = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(() => readFromTab(`draft.${draft}`) ?? "");
  const [images, setImages] = useState<GivenImage[]>([]);
  const [mode, setMode] = useState<BusyMode>("queue");
  const id = useId();
  const isOver = useFileDrop(dropOn, (files) => void take(files));
  const mayWrite = may("write");
  const completion = useSuggestions(text, area, write);

  // Where a keyboard lies over the page, it opens when the reader wants it.
  useEffect(() => {
    if (matchMedia("(hover: hover)").matches) area.current?.focus();
  }, []);
  useEffect(() => {
    if (returned === null) return;
    write(joinTexts(returned.text, area.current?.value ?? ""));
    setImages((before) => [...returned.images, ...before]);
  }, [returned]);
  // A new conversation has got its session: what is being written goes on as that one's.
  const writtenAs = useRef(draft);
  useEffect(() => {
    if (writtenAs.current === draft) return;
    keepInTab(`draft.${writtenAs.current}`, null);
    writtenAs.current = draft;
    keepInTab(`draft.${draft}`, area.current?.value || null);
  }, [draft]);
  useUnsaved(images.length > 0);
  useLayoutEffect(() => fit(area.current), [text]);

  function write(next: string): void {
    setText(next);
    keepInTab(`draft.${draft}`, next === "" ? null : next);
  }

  function send(busy: BusyMode | null): void {
    if (text.trim() === "" && images.length === 0) return;
    write("");
    setImages([]);
    onSend({ text: text.trim(), images, busy });
    area.current?.focus();
  }

  function submit(event: Event): void {
    event.preventDefault();
    send(isBusy && !isAsked ? mode : null);
  }

  async function take(given: File[]): Promise<void> {
    const { images: chosen, files, refused } = sortFiles(given, images.length);
    for (const sentence of refused) toastError(new Error(sentence));
    if (files.length > 0) onFiles(files);
    try {
      const read = await Promise.all(chosen.map((file) => readImage(file, file.name)));
      setImages((before) => [...before, ...read]);
    } catch (failure) {
      toastError(failure);
    }
  }

  function onKeyDown(event: KeyboardEvent): void {
    // Enter ends a composition of an input method; it does not send.
    if (event.isComposing || event.keyCode === 229) return;
    if (completion.onKeyDown(event)) return;
    if (event.key === "ArrowUp" && text === "") {
      // As in other chats: up from an empty field, to what was written last.
      const edits = [...(dropOn.current?.querySelectorAll<HTMLElement>(".person-edit-button") ?? [])];
      edits.at(-1)?.click();
      return;
    }
    if (event.key !== "Enter" || event.shiftKey || event.altKey) return;
    event.preventDefault();
    send(isBusy && !isAsked ? mode : null);
  }

  return (
    <form class={`composer${isOver ? " composer-over" : ""}`} onSubmit={submit}>
      {completion.list}
      {images.length > 0 && (
        <ul class="images" aria-label="Images to send">
          {images.map((image, at) => (
            <li key={`${at} ${image.name}`}>
              <img src={image.data} alt={image.name} />
              <Button
                kind="quiet"
                icon="close"
                label={`Remove ${quote(image.name)}`}
                onClick={() => setImages(images.toSpliced(at, 1))}
              />
            </li>
          ))}
        </ul>
      )}
      <textarea
        ref={area}
        id={id}
        aria-label="Message"
        placeholder={mayWrite ? (isAsked ? "Answer the agent" : "Message the agent") : "Your key may only read"}
        readOnly={!mayWrite}
        rows={1}
        dir="auto"
        value={text}
        enterkeyhint="send"
        {...completion.attributes}
        onInput={(event) => write(event.currentTarget.value)}
        onKeyDown={onKeyDown}
        onPaste={(event) => {
          const files = [...(event.clipboardData?.files ?? [])];
          if (files.length === 0) return;
          event.preventDefault();
          void take(files);
        }}
      />
      <div class="composer-foot">
        <input
          ref={picker}
          type="file"
          multiple
          class="visually-hidden"
          aria-label="Add images or files"
          tabIndex={-1}
          onChange={(event) => {
            void take([...(event.currentTarget.files ?? [])]);
            event.currentTarget.value = "";
          }}
        />
        <Button kind="quiet" icon="plus" label="Add images or files" onClick={() => picker.current?.click()} />
        <span class="composer-hint muted small">
          {isOver
            ? "Images go with the message (10 at most, each up to 3.75 MiB), other files into the session"
            : "Shift+Enter for a new line · / for commands"}
        </span>
        {isBusy && !isAsked && (
          <label class="composer-mode">
            <span class="visually-hidden">While the agent works</span>
            <select
              class="input input-small"
              value={mode}
              onChange={(event) => setMode(event.currentTarget.value as BusyMode)}
            >
              {MODES.map(({ value, name, hint }) => (
                <option key={value} value={value} title={hint}>
                  {name}
                </option>
              ))}
            </select>
          </label>
        )}
        {isBusy && (
          <Button icon="stop" onClick={onStop}>
            Stop
          </Button>
        )}
        <Button
          type="submit"
          kind="primary"
          icon="send"
          disabled={!mayWrite || (text.trim() === "" && images.length === 0)}
        >
          Send
        </Button>
      </div>
    </form>
  );
}

/** As high as its text, up to what the styles allow. */
function fit(area: HTMLTextAreaElement | null): void {
  if (!area) return;
  area.style.height = "auto";
  area.style.height = `${area.scrollHeight}px`;
}
