// Asks for several things at once, and stops at the first refusal. Pure.
import { type Result, ok } from "../../../errors.ts";
import { MAX_CONNECTIONS, mapLimit } from "../../../map-limit.ts";

/** In the order of the items. After a refusal no further item is started. */
export async function eachOk<Item, Value>(
  items: readonly Item[],
  ask: (item: Item) => Promise<Result<Value>>,
): Promise<Result<Value[]>> {
  let refused: Extract<Result<never>, { ok: false }> | null = null;
  const values: Value[] = [];
  await mapLimit(items, MAX_CONNECTIONS, async (item, index) => {
    if (refused) return;
    const asked = await ask(item);
    if (asked.ok) values[index] = asked.value;
    else refused ??= asked;
  });
  return refused ?? ok(values);
}
