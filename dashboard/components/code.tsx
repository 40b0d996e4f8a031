// A text in a monospaced font, with a button that copies it. It is coloured as its language once the colouring is loaded. Until then, and
// for a long text, it is plain.
import { useEffect, useRef, useState } from "preact/hooks";
import { Button } from "./button.tsx";
import { showHidden } from "./hidden-text.ts";

interface CodeProps {
  /** Name of the text, for screen readers. */
  label: string;
  text: string;
  /** A language's name or a file's ending: `ts`, `python`. Absent: plain. */
  language?: string | undefined;
}

/** Colouring holds the page up: its time grows with the square of a text's length, or of a word's or a line's, as in packed code. */
const MAX_COLOURED = 10_000;
const SLOW = /\S{300}|\s{300}|.{1000}/;
const COPIED_MS = 2_000;

export function Code({ label, text, language }: CodeProps) {
  const code = useRef<HTMLElement>(null);
  useEffect(() => {
    const element = code.current!;
    const shown = showHidden(text);
    element.textContent = shown;
    if (language === undefined || shown.length > MAX_COLOURED || SLOW.test(shown)) return undefined;
    let isCurrent = true;
    void import("./highlight.ts").then(
      ({ highlight }) => {
        if (!isCurrent) return;
        const coloured = highlight(shown, language);
        if (coloured) element.replaceChildren(coloured);
      },
      () => {}, // the text stays plain
    );
    return () => {
      isCurrent = false;
    };
  }, [text, language]);
  return (
    <div class="code">
      <CopyButton text={text} />
      <pre tabIndex={0} role="group" aria-label={label}>
        <code ref={code} />
      </pre>
    </div>
  );
}

export function CopyButton({ text, label = "Copy" }: { text: string; label?: string }) {
  const [said, setSaid] = useState("");
  const copy = () =>
    void navigator.clipboard
      .writeText(text)
      .then(
        () => setSaid("Copied"),
        () => setSaid("The browser does not allow it"),
      )
      .then(() => setTimeout(() => setSaid(""), COPIED_MS));
  return (
    <span class="copy">
      <Button kind="quiet" icon="copy" label={label} onClick={copy} />
      <span class="copy-said" role="status">
        {said}
      </span>
    </span>
  );
}
