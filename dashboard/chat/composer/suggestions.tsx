// The list of completions above the composer. The textarea keeps the focus; arrows move in the list, Tab or Enter takes, Escape closes.
import type { RefObject } from "preact";
import { useEffect, useId, useState } from "preact/hooks";
import { readOnce } from "../../data/resource.ts";
import type { Suggestion } from "./completion.ts";

export function useSuggestions(
  text: string,
  area: RefObject<HTMLTextAreaElement | null>,
  write: (text: string) => void,
) {
  const [found, setFound] = useState<Suggestion[]>([]);
  const [at, setAt] = useState(0);
  const [closed, setClosed] = useState<string | null>(null);
  const id = useId();
  const isWord = /^\/[a-z0-9-]*$/.test(text);
  useEffect(() => {
    let isCurrent = true;
    if (isWord) {
      void load(text).then(
        (next) => {
          if (!isCurrent) return;
          setFound(next);
          setAt(0);
        },
        () => {}, // the sending of the command says what is wrong
      );
    } else setFound([]);
    return () => {
      isCurrent = false;
    };
  }, [text]);
  const isOpen = isWord && found.length > 0 && closed !== text && found.some(({ value }) => value.trim() !== text);
  const optionOf = (place: number) => `${id}-${place}`;
  useEffect(() => {
    if (isOpen) document.getElementById(optionOf(at))?.scrollIntoView({ block: "nearest" });
  }, [at, isOpen]);

  function takeOne(place: number): void {
    const chosen = found[place];
    if (chosen) write(chosen.value);
    setClosed(chosen?.value ?? null);
    area.current?.focus();
  }

  /** True: the key was for the list. */
  function onKeyDown(event: KeyboardEvent): boolean {
    if (!isOpen) return false;
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step !== 0) setAt((at + step + found.length) % found.length);
    else if (event.key === "Tab" || (event.key === "Enter" && !event.shiftKey)) takeOne(at);
    else if (event.key === "Escape") setClosed(text);
    else return false;
    event.preventDefault();
    return true;
  }

  return {
    onKeyDown,
    attributes: {
      "aria-autocomplete": "list" as const,
      "aria-controls": isOpen ? id : undefined,
      "aria-activedescendant": isOpen ? optionOf(at) : undefined,
    },
    list: (
      <>
        <span class="visually-hidden" role="status">
          {isOpen ? `${found.length} completions` : ""}
        </span>
        {isOpen && (
          <div id={id} class="suggestions" role="listbox" aria-label="Commands">
            {found.map(({ value, usage, help }, place) => (
              <button
                key={value}
                id={optionOf(place)}
                type="button"
                tabIndex={-1}
                class="suggestion"
                role="option"
                aria-selected={place === at}
                onPointerDown={(event) => event.preventDefault()}
                onClick={() => takeOne(place)}
              >
                <span class="mono">{usage}</span>
                <span class="muted clip" dir="auto">
                  {help}
                </span>
              </button>
            ))}
          </div>
        )}
      </>
    ),
  };
}

async function load(typed: string): Promise<Suggestion[]> {
  const [{ suggest }, skills] = await Promise.all([
    import("./completion.ts"),
    readOnce("GET /v1/skills", {}).then(
      (list) => list.skills.filter(({ heldUntil = 0 }) => heldUntil <= Date.now()),
      () => [], // commands are enough
    ),
  ]);
  return suggest(typed, skills);
}
