// Specify and decompose over the API, with the Board object, the Account and the model of rehearsal.
import { beforeAll, expect, it } from "vitest";
import { START_MS, ask, createProfile } from "../api-calls.ts";
import type { CardDetail } from "../../../core/schemas/board/card-api.ts";
import type { Card } from "../../../core/schemas/board/card.ts";

// Nobody is dispatched.
const assignee = { person: "ann" };
let key: string;
beforeAll(async () => void ({ key } = await createProfile()), START_MS);

const post = (path: string, body: object = {}) => ask("POST", `/v1/boards/main/cards${path}`, { key, body });

it("specifies a rough card and divides another, whose parts come before it, and books the calls", async () => {
  const rough = (await post("", { title: "csv pls", body: "the boss wants it", triage: true, assignee })).body as Card;
  expect(await post(`/${rough.id}/specify`)).toMatchObject({
    status: 200,
    body: { status: "ready", title: "csv pls", asked: { title: "csv pls", body: "the boss wants it", isOwners: true } },
  });
  expect(await post(`/${rough.id}/specify`)).toMatchObject({ status: 409, body: { code: "bad_transition" } });
  const large = (await post("", { title: "a shop", triage: true, assignee })).body as Card;
  expect(await post(`/${large.id}/decompose`)).toMatchObject({ status: 200, body: { status: "todo", divided: 2 } });
  expect(await post(`/${large.id}/decompose`)).toMatchObject({ status: 200, body: { status: "todo", divided: 2 } });
  const { parents } = (await ask("GET", `/v1/boards/main/cards/${large.id}`, { key })).body as CardDetail;
  expect(parents.map(({ title, status }) => [title, status]).toSorted()).toEqual([
    ["Check the work: a shop", "todo"],
    ["Do the work: a shop", "ready"],
  ]);
  const { lines } = (await ask("GET", "/v1/usage?by=kind", { key })).body as {
    lines: { key: string; calls: number }[];
  };
  expect(lines.find((line) => line.key === "plan")).toMatchObject({ calls: 2 });
});
