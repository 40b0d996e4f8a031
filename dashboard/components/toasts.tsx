// Short reports of what an action did. Announced to screen readers; they stay until read or closed, and errors stay until closed.
import { signal } from "@preact/signals";
import { describeError } from "../data/api.ts";
import { Button } from "./button.tsx";
import { showHidden } from "./hidden-text.ts";

interface Toast {
  id: number;
  text: string;
  isBad: boolean;
}

const SHOWN_MS = 6_000;
const toasts = signal<Toast[]>([]);
let lastId = 0;

export function toast(text: string): void {
  const id = show(text, false);
  setTimeout(() => close(id), SHOWN_MS);
}

export function toastError(error: unknown): void {
  show(describeError(error), true);
}

function show(text: string, isBad: boolean): number {
  lastId += 1;
  toasts.value = [...toasts.peek().slice(-3), { id: lastId, text, isBad }];
  return lastId;
}

function close(id: number): void {
  toasts.value = toasts.peek().filter((one) => one.id !== id);
}

export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map(({ id, text, isBad }) => (
        <div key={id} class={`toast${isBad ? " toast-bad" : ""}`}>
          <p dir="auto">{showHidden(text)}</p>
          <Button kind="quiet" icon="close" label="Close" onClick={() => close(id)} />
        </div>
      ))}
    </div>
  );
}
