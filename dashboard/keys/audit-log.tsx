// What keys, browsers and the operator have changed in the last 90 days. Names and ids only, never contents.
import { useState } from "preact/hooks";
import { Empty, Listed } from "../components/states.tsx";
import { Time } from "../components/time.tsx";
import { WindowedList } from "../components/windowed-list.tsx";
import { useList } from "../data/list.ts";
import { type KeyInfo, nameAct, nameActor, nameKey } from "./keys-words.ts";

const ROW_PX = 56;

export function AuditLog({ keys }: { keys: KeyInfo[] }) {
  const [key, setKey] = useState("");
  const list = useList("GET /v1/audit", { query: key === "" ? {} : { key } }, (page) => page.entries);
  return (
    <>
      <div class="toolbar">
        <label class="check">
          Changed by
          <select class="input input-small" value={key} onChange={(event) => setKey(event.currentTarget.value)}>
            <option value="">anybody</option>
            <option value="operator">the operator</option>
            {keys.map((one) => (
              <option key={one.id} value={one.id}>
                {nameKey(one).slice(0, 60)}
              </option>
            ))}
          </select>
        </label>
      </div>
      <Listed of={list} empty={<Empty icon="list" title="Nothing was changed in the last 90 days" />}>
        {(items) => (
          <WindowedList
            label="Audit log"
            items={items}
            rowHeight={ROW_PX}
            keyOf={({ id }) => String(id)}
            onEnd={list.more}
            row={({ at, by, key: of, act, target }) => (
              <div class="row">
                <div class="row-main">
                  <span class="clip">
                    {nameAct(act)} <bdi class="mono">{target}</bdi>
                  </span>
                  <span class="clip muted small" dir="auto">
                    {nameActor({ by, ...(of !== undefined && { key: of }) }, keys)}
                  </span>
                </div>
                <div class="row-side">
                  <Time at={at} />
                </div>
              </div>
            )}
          />
        )}
      </Listed>
    </>
  );
}
