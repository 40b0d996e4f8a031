// A tool call as a row that unfolds: its arguments, what it changed, what it answered.
import { useId, useState } from "preact/hooks";
import { Code } from "../../components/code.tsx";
import { Diff } from "../../components/diff.tsx";
import { Icon } from "../../components/icon.tsx";
import type { ToolItem } from "../session/items.ts";
import { PatchLines } from "./patch-lines.tsx";
import { type Change, parseResult, summarise, toChanges, toResultText } from "./tool-outcome.ts";

/** A longer text is cut: the whole is in the log. */
const MAX_SHOWN = 100_000;

export function ToolRow({ item, isOpenTurn }: { item: ToolItem; isOpenTurn: boolean }) {
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const { name, args, failed, result } = item;
  const state = result === null ? (isOpenTurn ? "running" : "no result") : failed ? "failed" : "";
  return (
    <li class={`tool${failed ? " tool-failed" : ""}`}>
      <button
        type="button"
        class="tool-head"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
      >
        <span class={state === "running" ? "tool-mark tool-running" : "tool-mark"}>
          <Icon name={failed ? "warning" : result === null ? "tool" : "check"} />
        </span>
        <span class="tool-name">{name}</span>
        <span class="tool-summary mono clip" dir="auto">
          {summarise(args)}
        </span>
        {state !== "" && <span class="tool-state">{state}</span>}
        <span class={`tool-arrow${isOpen ? " tool-arrow-open" : ""}`}>
          <Icon name="right" />
        </span>
      </button>
      <div id={id} class="tool-body" hidden={!isOpen}>
        {isOpen && <ToolBody item={item} />}
      </div>
    </li>
  );
}

function ToolBody({ item: { name, args, failed, result: raw } }: { item: ToolItem }) {
  const changes = toChanges(name, args, parseResult(raw), failed);
  const { text, isJson } = toResultText(raw ?? "", changes.length > 0);
  const command = typeof args.command === "string" ? args.command : null;
  return (
    <>
      {changes.map((change, i) => (
        <ShownChange key={i} change={change} />
      ))}
      {changes.length === 0 && (
        <div>
          <h3>{command === null ? "Arguments" : "Command"}</h3>
          <Code
            label={`Arguments of ${name}`}
            text={clip(command ?? JSON.stringify(args, null, 2))}
            language={command === null ? "json" : "bash"}
          />
        </div>
      )}
      {raw !== null && text !== "" && (
        <div>
          <h3>{failed ? "Error" : "Result"}</h3>
          <Code label={`Result of ${name}`} text={clip(text)} {...(isJson && { language: "json" })} />
        </div>
      )}
      {raw === null && <p class="muted">No result yet.</p>}
    </>
  );
}

function ShownChange({ change }: { change: Change }) {
  return (
    <div>
      <h3 dir="auto">{change.name}</h3>
      {change.kind === "texts" ? (
        <Diff name={change.name} before={change.before} after={change.after} />
      ) : (
        <PatchLines name={change.name} patch={clip(change.patch)} />
      )}
    </div>
  );
}

function clip(text: string): string {
  return text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN)}\n… ${text.length - MAX_SHOWN} more characters`;
}
