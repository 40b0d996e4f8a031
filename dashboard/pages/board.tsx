// Board: cards that agents and people work on. Addresses: a board, one of its cards, its roles, its numbers.
import { useState } from "preact/hooks";
import "../styles/board.css";
import { BoardNumbers } from "../board/numbers.tsx";
import { Roles } from "../board/roles.tsx";
import { BoardView } from "../board/board-view.tsx";
import { useBoardCards } from "../board/board-cards.ts";
import { Button } from "../components/button.tsx";
import { quote } from "../components/hidden-text.ts";
import { confirm } from "../components/dialog.tsx";
import { Field } from "../components/field.tsx";
import { FormDialog } from "../components/form-dialog.tsx";
import { Page as Frame, Tabs } from "../components/page.tsx";
import { ScopeNote } from "../components/scope-note.tsx";
import { Empty, Failure, Loading } from "../components/states.tsx";
import { NewCardDialog } from "../board/new-card.tsx";
import { change, useResource } from "../data/resource.ts";
import { may } from "../data/sign-in.ts";
import { type PageProps, hrefOf } from "../pages.ts";

/** Made by the API with its first card. */
const FIRST = "main";

export function Page({ rest: [given, part] }: PageProps) {
  const boards = useResource("GET /v1/boards", {});
  const [isMaking, setMaking] = useState(false);
  const names = boards.value?.boards.map(({ name }) => name);
  const board = given ?? (names?.includes(FIRST) ? FIRST : names?.[0]);
  if (names === undefined || (board === undefined && names.length > 0)) {
    return (
      <Frame title="Board">
        {boards.error === undefined ? <Loading /> : <Failure error={boards.error} retry={() => void boards.reload()} />}
      </Frame>
    );
  }
  const making = isMaking && <NewBoard onClose={() => setMaking(false)} />;
  if (board === undefined || !names.includes(board)) {
    return (
      <Frame title="Board">
        <Empty
          icon="board"
          title={board === undefined ? "No boards yet" : `There is no board ${quote(board.slice(0, 64))}`}
        >
          <p>
            A board holds cards. The agent works on each card that is ready, in a session of its own, unless a person
            has the card.
          </p>
          {may("write") && (
            <Button kind="primary" icon="plus" onClick={() => setMaking(true)}>
              Make a board
            </Button>
          )}
          <ScopeNote scope="write" to="make a board" />
          {names.length > 0 && <a href={hrefOf("board", names[0]!)}>Go to the board {quote(names[0]!)}</a>}
        </Empty>
        {making}
      </Frame>
    );
  }
  return (
    <>
      <OneBoard key={board} board={board} names={names} part={part} onNew={() => setMaking(true)} />
      {making}
    </>
  );
}

function OneBoard({
  board,
  names,
  part,
  onNew,
}: {
  board: string;
  names: string[];
  part: string | undefined;
  onNew(): void;
}) {
  const store = useBoardCards(board);
  const [isMaking, setMaking] = useState(false);
  const isCards = part !== "roles" && part !== "numbers";
  const tabs = [
    { name: "Cards", href: hrefOf("board", board), isCurrent: isCards },
    { name: "Roles", href: hrefOf("board", board, "roles"), isCurrent: part === "roles" },
    { name: "Numbers", href: hrefOf("board", board, "numbers"), isCurrent: part === "numbers" },
  ];
  const actions = (
    <>
      <select
        class="input board-choice"
        aria-label="Which board"
        value={board}
        onChange={({ currentTarget }) => {
          location.hash = hrefOf("board", currentTarget.value);
        }}
      >
        {names.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
      {may("write") && <Button onClick={onNew}>New board</Button>}
      {may("admin") && <Button icon="trash" label={`Delete the board ${board}`} onClick={() => removeBoard(board)} />}
      {may("write") && (
        <Button kind="primary" icon="plus" onClick={() => setMaking(true)}>
          New card
        </Button>
      )}
    </>
  );
  return (
    <Frame title="Board" isWide actions={actions} tabs={<Tabs label="Parts of the board" tabs={tabs} />}>
      <ScopeNote scope="write" to="change cards and roles" />
      {part === "roles" && <Roles />}
      {part === "numbers" && <BoardNumbers board={board} />}
      {isCards && <BoardView board={board} store={store} open={part} />}
      {isMaking && (
        <NewCardDialog
          board={board}
          status="ready"
          cards={store.cards}
          onMade={store.put}
          onClose={() => setMaking(false)}
        />
      )}
    </Frame>
  );
}

function removeBoard(board: string): void {
  confirm({
    title: `Delete the board ${quote(board)}?`,
    text: "All its cards, comments, runs and attachments are lost, and open work is stopped. The sessions of its runs stay. This cannot be undone.",
    action: "Delete board",
    isDanger: true,
    async run() {
      await change("DELETE /v1/boards/{board}", { params: { board } }, ["/v1/boards"]);
      location.hash = hrefOf("board");
    },
  });
}

function NewBoard({ onClose }: { onClose(): void }) {
  const [name, setName] = useState("");
  async function make(): Promise<void> {
    await change("PUT /v1/boards/{board}", { params: { board: name } }, ["/v1/boards"]);
    location.hash = hrefOf("board", name);
  }
  return (
    <FormDialog title="Make a board" action="Make board" run={make} onClose={onClose}>
      <Field label="Name" hint="Small letters, digits, - and _. Such as “main” or “release-2”.">
        {(props) => (
          <input
            {...props}
            required
            autofocus
            pattern="[a-z0-9][a-z0-9_\-]{0,63}"
            spellcheck={false}
            value={name}
            onInput={({ currentTarget }) => setName(currentTarget.value)}
          />
        )}
      </Field>
    </FormDialog>
  );
}
