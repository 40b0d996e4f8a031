// One use of a part of a profile's Account. The Account keeps a desk in memory until the desk is given back. The first call travels with
// the request for the desk, so both are one round trip.

/** `desk`: as the Account's method returns it, not awaited. `ask` must not keep it. */
export async function askDesk<Desk extends PromiseLike<Disposable>, Answer>(
  desk: Desk,
  ask: (desk: Desk) => Promise<Answer>,
): Promise<Answer> {
  try {
    return await ask(desk);
  } finally {
    (await desk)[Symbol.dispose]();
  }
}
