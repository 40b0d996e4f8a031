// Who made a revision, in a few words, with a link to where it happened.
import { hrefOf } from "../pages.ts";
import { MAKERS, makerFromOrigin, makerOf } from "./words.ts";

interface MadeByProps {
  revision: { op: string; origin: Parameters<typeof makerFromOrigin>[0] };
  /** Inside a sentence. */
  isInline?: boolean;
}

export function MadeBy({ revision: { op, origin }, isInline = false }: MadeByProps) {
  const { by, session, turn, review, run } = makerOf(op);
  const name = by === null ? makerFromOrigin(origin) : MAKERS[by];
  const who = isInline && name !== "Talaria" ? name.slice(0, 1).toLowerCase() + name.slice(1) : name;
  return (
    <>
      {review === undefined ? who : <a href={hrefOf("learning", "reviews", review)}>{who}</a>}
      {run !== undefined && (
        <>
          {" "}
          in <a href={hrefOf("learning", "curator", run)}>a run</a>
        </>
      )}
      {session !== undefined && (
        <>
          {by === "review" ? " of " : " in "}
          <a href={turn === undefined ? hrefOf("chat", session) : hrefOf("chat", session, turn)}>
            {turn === undefined ? "a conversation" : `turn ${turn} of a conversation`}
          </a>
        </>
      )}
    </>
  );
}
