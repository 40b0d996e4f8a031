// What a page shows in place of data: it is being read, there is none, or it could not be read.
import type { ComponentChildren } from "preact";
import { describeError } from "../data/api.ts";
import type { Resource } from "../data/resource.ts";
import { Button } from "./button.tsx";
import { Icon, type IconName } from "./icon.tsx";

/** Shown after a moment only (by the styles), so that a quick answer does not blink. */
export function Loading() {
  return (
    <p class="loading" role="status">
      Loading…
    </p>
  );
}

/** `children`: the one thing to do. */
export function Empty({ icon, title, children }: { icon: IconName; title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <Icon name={icon} />
      <p class="empty-title">{title}</p>
      {children}
    </div>
  );
}

/** What happened, in a sentence, announced at once. */
export function ErrorNote({ error, children }: { error: unknown; children?: ComponentChildren }) {
  return (
    <div class="note note-bad" role="alert">
      <Icon name="warning" />
      <p dir="auto">{describeError(error)}</p>
      {children}
    </div>
  );
}

export function Failure({ error, retry }: { error: unknown; retry: () => void }) {
  return (
    <ErrorNote error={error}>
      <Button onClick={retry}>Try again</Button>
    </ErrorNote>
  );
}

/** Shows what was read, with an error above it where the last reading failed. */
export function Loaded<T>({ of, children }: { of: Resource<T>; children: (value: T) => ComponentChildren }) {
  const { value, error, reload } = of;
  return (
    <>
      {error !== undefined && <Failure error={error} retry={() => void reload()} />}
      {value === undefined ? error === undefined && <Loading /> : children(value)}
    </>
  );
}
