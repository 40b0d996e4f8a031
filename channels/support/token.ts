// Access tokens that a platform gives out for a while. Called by channels/<platform>.ts. Keeps them in `PlatformDeps.cached`.
import type { PlatformDeps } from "../../core/channels/platform.ts";
import type { Result } from "../../core/errors.ts";

const KEY = "access_token";
/** [own] A token is renewed so long before it ends. */
const MARGIN_MS = 60_000;

/** Calls `use` with a token. One that is refused is replaced, once. `expiresInS`: as platforms say it. */
export async function withToken<T>(
  deps: PlatformDeps,
  fetchToken: () => Promise<Result<{ token: string; expiresInS: number }>>,
  use: (token: string) => Promise<Result<T>>,
): Promise<Result<T>> {
  const getToken = () =>
    deps.cached(KEY, async () => {
      const fetched = await fetchToken();
      if (!fetched.ok) return fetched;
      const { token, expiresInS } = fetched.value;
      return { ok: true, value: { value: token, expiresAt: deps.clock.now() + expiresInS * 1_000 - MARGIN_MS } };
    });
  const token = await getToken();
  if (!token.ok) return token;
  const used = await use(token.value);
  if (used.ok || used.failure.code !== "channel_auth_failed") return used;
  deps.forget(KEY);
  const renewed = await getToken();
  return renewed.ok && renewed.value !== token.value ? use(renewed.value) : used;
}
