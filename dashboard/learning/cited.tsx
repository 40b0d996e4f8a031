// The parts of conversations that show why something was learned. They are read when a person asks for them.
import { useState } from "preact/hooks";
import { Why } from "../skills/why.tsx";

/** `isOpen`: shown at once. */
export function Cited({
  citations,
  isOpen: isOpenAtFirst = false,
}: {
  citations: readonly string[];
  isOpen?: boolean;
}) {
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  if (citations.length === 0) return null;
  return (
    <details class="cited" open={isOpenAtFirst} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{citations.length === 1 ? "The part it cites" : `The ${citations.length} parts it cites`}</summary>
      {isOpen && <Why citations={[...new Set(citations)]} />}
    </details>
  );
}
