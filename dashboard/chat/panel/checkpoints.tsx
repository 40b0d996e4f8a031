// What the files of a session were when its turns began: what has changed since, and going back to it.
import { useState } from "preact/hooks";
import { confirm } from "../../components/dialog.tsx";
import { Button } from "../../components/button.tsx";
import { countOf, formatBytes } from "../../components/numbers.ts";
import { Empty, Loaded } from "../../components/states.tsx";
import { Time } from "../../components/time.tsx";
import { toast } from "../../components/toasts.tsx";
import type { Answer } from "../../data/api.ts";
import { change, useResource } from "../../data/resource.ts";
import type { SessionView } from "../session/session-view.ts";
import { PatchLines } from "../log/patch-lines.tsx";

type Checkpoint = Answer<"GET /v1/sessions/{session}/checkpoints">["checkpoints"][number];

export function Checkpoints({ view }: { view: SessionView }) {
  const { session } = view;
  const list = useResource("GET /v1/sessions/{session}/checkpoints", { params: { session }, query: { limit: "100" } });
  return (
    <Loaded of={list}>
      {({ checkpoints }) =>
        checkpoints.length === 0 ? (
          <Empty icon="undo" title="No checkpoints yet">
            <p>One is kept before each turn that changes files.</p>
          </Empty>
        ) : (
          <ul class="checkpoints" aria-label="Checkpoints">
            {checkpoints.map((checkpoint) => (
              <Row key={checkpoint.n} view={view} checkpoint={checkpoint} />
            ))}
          </ul>
        )
      }
    </Loaded>
  );
}

const BEGINNINGS = {
  turn: "Before turn",
  restore: "Before going back, after turn",
  import: "Before an import, after turn",
};

function Row({ view: { session }, checkpoint }: { view: SessionView; checkpoint: Checkpoint }) {
  const [isOpen, setOpen] = useState(false);
  const { n, turn, at, kind, files, bytes } = checkpoint;
  const restore = () =>
    confirm({
      title: `Set all files back to checkpoint ${n}?`,
      text: (
        <p>
          Changes of files since then are taken back. A checkpoint of the present files is kept, so that you can return.
        </p>
      ),
      action: "Set back",
      isDanger: true,
      run: async () => {
        const { restored } = await change(
          "POST /v1/sessions/{session}/checkpoints/{checkpoint}/restore",
          { params: { session, checkpoint: n }, headers: { "idempotency-key": crypto.randomUUID() } },
          [`/v1/sessions/${session}/`],
        );
        toast(restored === 1 ? "1 file was set back." : `${restored} files were set back.`);
      },
    });
  return (
    <li class="checkpoint">
      <div class="checkpoint-head">
        <span>
          {BEGINNINGS[kind]} {turn}
          <span class="muted small checkpoint-facts">
            <Time at={at} /> · {countOf(files, "file")}, {formatBytes(bytes)}
          </span>
        </span>
        <Button aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          Changes
        </Button>
        <Button onClick={restore}>Restore</Button>
      </div>
      {isOpen && <Changes session={session} checkpoint={n} />}
    </li>
  );
}

function Changes({ session, checkpoint }: { session: string; checkpoint: number }) {
  const [path, setPath] = useState<string | null>(null);
  const found = useResource("GET /v1/sessions/{session}/checkpoints/{checkpoint}", { params: { session, checkpoint } });
  return (
    <Loaded of={found}>
      {({ changes, more = 0 }) =>
        changes.length === 0 ? (
          <p class="muted small">No file has changed since.</p>
        ) : (
          <ul class="changes">
            {changes.map((one) => (
              <li key={one.path}>
                <button
                  type="button"
                  class="link"
                  aria-expanded={path === one.path}
                  dir="auto"
                  onClick={() => setPath(path === one.path ? null : one.path)}
                >
                  {one.path}
                </button>{" "}
                <span class="muted small">{one.change}</span>
                {path === one.path && <FileDiff {...{ session, checkpoint, path }} />}
              </li>
            ))}
            {more > 0 && <li class="muted small">and {more} more</li>}
          </ul>
        )
      }
    </Loaded>
  );
}

function FileDiff({ session, checkpoint, path }: { session: string; checkpoint: number; path: string }) {
  const found = useResource("GET /v1/sessions/{session}/checkpoints/{checkpoint}", {
    params: { session, checkpoint },
    query: { path },
  });
  return (
    <Loaded of={found}>
      {({ diff }) =>
        diff ? (
          <PatchLines name={path} patch={diff} />
        ) : (
          <p class="muted small">This file is not text, so no lines can be compared.</p>
        )
      }
    </Loaded>
  );
}
