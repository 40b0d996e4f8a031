// What a page shows in place of data: it is being read, there is none, or it could not be read.
import type { ComponentChildren } from "preact";
import { describeError } from "../data/api.ts";
import type { List } from "../data/list.ts";
import type { Resource } from "../data/resource.ts";
import { Button } from "./button.tsx";
import { showHidden } from "./hidden-text.ts";
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
      <p dir="auto">{showHidden(describeError(error))}</p>
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

interface ListedProps<Item> {
  of: List<Item>;
  /** Shown in place of an empty list: the one thing to do. */
  empty: ComponentChildren;
  children: (items: Item[]) => ComponentChildren;
}

/** Shows the items of a list that is read page by page, or that there are none. */
export function Listed<Item>({ of: { items, isReady, error, reload }, empty, children }: ListedProps<Item>) {
  const isEmpty = isReady && items.length === 0 && error === undefined;
  return (
    <>
      {error !== undefined && <Failure error={error} retry={() => void reload()} />}
      {!isReady && <Loading />}
      {isEmpty ? empty : items.length > 0 && children(items)}
    </>
  );
}

/** At the end of a list that is not windowed. */
export function MoreButton({
  of: { hasMore, isReady, isLoading, more },
  children = "Show more",
}: {
  of: List<unknown>;
  children?: string;
}) {
  return hasMore && isReady ? (
    <Button class="more-button" isBusy={isLoading} onClick={more}>
      {children}
    </Button>
  ) : null;
}
