// Who made a revision, in a few words, with a link to where it happened.
import { hrefOf } from "../pages.ts";
import { MAKERS, type Revision, makerFromOrigin, makerOf } from "./words.ts";

export function MadeBy({
  revision: { op, origin },
}: {
  revision: Pick<Revision & { purgedAt?: undefined }, "op" | "origin">;
}) {
  const { by, session, turn, review, run } = makerOf(op!);
  const who = by === null ? makerFromOrigin(origin!) : MAKERS[by];
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
