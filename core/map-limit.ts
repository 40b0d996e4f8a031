// Runs asynchronous work over a list with limited concurrency. Pure.

/** [cf] A Worker has six open connections; further requests wait for one of them. */
export const MAX_CONNECTIONS = 6;

/**
 * Maps the items in their order, at most `limit` at a time. After a failure no further item is started. The running ones are
 * awaited, so that no rejection is left unhandled, and the first failure is thrown.
 */
export async function mapLimit<Item, Value>(
  items: readonly Item[],
  limit: number,
  map: (item: Item, index: number) => Promise<Value>,
): Promise<Value[]> {
  const values: Value[] = [];
  const thrown: unknown[] = [];
  let next = 0;
  async function work(): Promise<void> {
    while (next < items.length && thrown.length === 0) {
      const index = next++;
      try {
        values[index] = await map(items[index]!, index);
      } catch (error) {
        thrown.push(error);
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, work));
  if (thrown.length > 0) throw thrown[0];
  return values;
}
