// Beside the conversation: the session's files, what they were before each turn, and its choices and figures.
import { useEffect, useRef, useState } from "preact/hooks";
import { Button } from "../../components/button.tsx";
import { showPanel } from "../../data/preferences.ts";
import { Checkpoints } from "./checkpoints.tsx";
import { Details } from "./details.tsx";
import { Files } from "./files.tsx";
import type { SessionView } from "../session/session-view.ts";

const PARTS = ["Files", "Checkpoints", "Details"] as const;

export function SidePanel({ view }: { view: SessionView }) {
  const [part, setPart] = useState<(typeof PARTS)[number]>("Files");
  // Over the conversation it takes the focus, and closes as a dialog does.
  const panel = useRef<HTMLElement>(null);
  useEffect(() => {
    if (!matchMedia("(max-width: 64rem)").matches) return undefined;
    panel.current?.querySelector("button")?.focus();
    const close = ({ key }: KeyboardEvent) => key === "Escape" && !document.querySelector("dialog") && showPanel(false);
    document.addEventListener("keydown", close);
    return () => document.removeEventListener("keydown", close);
  }, []);
  return (
    <aside ref={panel} class="chat-panel" aria-label="Files and details">
      <div class="chat-panel-head">
        <div class="segments" role="group" aria-label="What is shown beside the conversation">
          {PARTS.map((one) => (
            <button key={one} type="button" aria-pressed={one === part} onClick={() => setPart(one)}>
              {one}
            </button>
          ))}
        </div>
        <Button kind="quiet" icon="close" label="Close the panel" onClick={() => showPanel(false)} />
      </div>
      <div class="chat-panel-body">
        {part === "Files" && <Files session={view.session} version={view.filesVersion.value} />}
        {part === "Checkpoints" && <Checkpoints view={view} />}
        {part === "Details" && <Details view={view} />}
      </div>
    </aside>
  );
}
