// The history of a skill: its revisions on a time line, newest first, each with who made it, why, and what it changed.
import { useState } from "preact/hooks";
import { Badge } from "../components/badge.tsx";
import { Button } from "../components/button.tsx";
import { Empty, Failure, Loading } from "../components/states.tsx";
import { Time } from "../components/time.tsx";
import { useResource } from "../data/resource.ts";
import { MadeBy } from "./maker.tsx";
import { RevisionActions } from "./revision-actions.tsx";
import { NothingToCompare, RevisionChanges } from "./revision-changes.tsx";
import type { Revision } from "./words.ts";
import { Why } from "./why.tsx";

interface HistoryProps {
  name: string;
  present: number;
  first: number;
  /** Texts that a verdict has withdrawn. */
  withdrawn: readonly string[];
}

/** Revisions of a page of the API. */
const PAGE = 30;
/** Open at once: the newest, which a reader most likely wants to judge. */
const OPEN = 1;

export function HistoryPart({ name, present, first, withdrawn }: HistoryProps) {
  const [pages, setPages] = useState<(number | undefined)[]>([undefined]);
  const add = (after: number) => setPages((known) => (known.includes(after) ? known : [...known, after]));
  return (
    <ol class="timeline" aria-label="Revisions, newest first">
      {pages.map((after, i) => (
        <RevisionsPage
          key={after ?? 0}
          {...{ name, present, first, withdrawn, after }}
          isLast={i === pages.length - 1}
          onMore={add}
        />
      ))}
    </ol>
  );
}

/** Each page is a resource of its own, so that an undo reads all of them again. */
function RevisionsPage(
  props: HistoryProps & { after: number | undefined; isLast: boolean; onMore: (after: number) => void },
) {
  const { name, present, first, withdrawn, after, isLast, onMore } = props;
  const { value, error, reload } = useResource("GET /v1/skills/{name}/revisions", {
    params: { name },
    query: { limit: String(PAGE), after: after === undefined ? undefined : String(after) },
  });
  const next = value?.next;
  return (
    <>
      {error !== undefined && (
        <li class="timeline-note">
          <Failure error={error} retry={() => void reload()} />
        </li>
      )}
      {value === undefined && error === undefined && (
        <li class="timeline-note">
          <Loading />
        </li>
      )}
      {value?.revisions.length === 0 && after === undefined && (
        <li class="timeline-note">
          <Empty icon="clock" title="No revisions of your own">
            <p>This skill comes with Talaria, and nothing has changed it here.</p>
          </Empty>
        </li>
      )}
      {value?.revisions.map((revision, i) => (
        <li key={revision.rev} class={revision.rev < first ? "is-earlier" : undefined}>
          <RevisionCard
            {...{ name, revision, present, first }}
            isWithdrawn={withdrawn.includes(revision.text)}
            isAfterPurged={isPurged(value.revisions[i + 1])}
            isOpenAtFirst={after === undefined && i < OPEN}
          />
        </li>
      ))}
      {isLast && next !== undefined && (
        <li class="timeline-note">
          <Button onClick={() => onMore(Number(next))}>Show older revisions</Button>
        </li>
      )}
    </>
  );
}

interface CardProps {
  name: string;
  revision: Revision;
  present: number;
  first: number;
  isWithdrawn: boolean;
  /** The revision before it is known to be purged. */
  isAfterPurged?: boolean;
  isOpenAtFirst: boolean;
  /** Of its heading. */
  level?: 2 | 3;
}

export function RevisionCard(props: CardProps) {
  const { name, revision, present, first, isWithdrawn, isAfterPurged = false, isOpenAtFirst, level = 2 } = props;
  const Heading = `h${level}` as const;
  const { rev } = revision;
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  if (isPurged(revision)) {
    return (
      <article aria-label={`Revision ${rev}`}>
        <Heading class="revision-title">Revision {rev}</Heading>
        <p class="muted">
          Purged <Time at={revision.purgedAt} />. Its files are erased.
        </p>
      </article>
    );
  }
  return (
    <article aria-label={`Revision ${rev}`}>
      <div class="revision-head">
        <div>
          <Heading class="revision-title">
            Revision {rev}
            {rev === present && <Badge tone="accent">Present</Badge>}
            {isWithdrawn && <Badge tone="bad">Withdrawn</Badge>}
          </Heading>
          <p class="muted">
            <MadeBy revision={revision} /> · <Time at={revision.revisedAt} isExact />
            {rev < first && " · of an earlier skill of this name"}
          </p>
        </div>
        <RevisionActions {...{ name, rev, present, first }} />
      </div>
      <Why citations={revision.citations} />
      <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>{rev === 1 ? "What it began with" : "What it changed"}</summary>
        {isOpen && !isAfterPurged && <RevisionChanges name={name} rev={rev} before={rev === first ? 0 : rev - 1} />}
        {isOpen && isAfterPurged && <NothingToCompare />}
      </details>
    </article>
  );
}

function isPurged(revision: Revision | undefined): revision is Extract<Revision, { purgedAt: number }> {
  return revision !== undefined && "purgedAt" in revision;
}
