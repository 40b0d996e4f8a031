// A deleted profile is erased from the external memory that the operator's variables name.
import { expect, it } from "vitest";
import type { Fetch } from "../../core/memory/provider-http.ts";
import { tenantHash } from "../../core/memory/providers/tenant.ts";
import { type ErasureEnv, eraseExternalMemory, hasExternalMemory } from "../../wiring/erasure-stores.ts";

const PROFILE = "0123456789abcdefghjkmnpqrs";
const KEY = "key-of-the-test";
const toEnv = (variables: Partial<ErasureEnv>) => variables as ErasureEnv;
const HINDSIGHT = toEnv({ TALARIA_MEMORY_PROVIDER: "hindsight", HINDSIGHT_API_KEY: KEY });
const HONCHO = toEnv({ TALARIA_MEMORY_PROVIDER: "honcho", HONCHO_API_KEY: KEY });

function createService(answer: (path: string) => Response) {
  const requests: string[] = [];
  const fetch: Fetch = async (url, init) => {
    const { pathname } = new URL(url);
    requests.push(`${init.method} ${pathname}`);
    return answer(pathname);
  };
  return { requests, fetch };
}

it("one request erases the profile's bank", async () => {
  const { requests, fetch } = createService(() => Response.json({ success: true }));
  await eraseExternalMemory(HINDSIGHT, PROFILE, fetch);
  expect(requests).toEqual([`DELETE /v1/default/banks/profile-${tenantHash({ profile: PROFILE })}`]);
});

it("without an external memory nothing is sent", async () => {
  const { requests, fetch } = createService(() => Response.json({}));
  await eraseExternalMemory(toEnv({ HINDSIGHT_API_KEY: KEY }), PROFILE, fetch);
  expect(requests).toEqual([]);
  expect(hasExternalMemory(toEnv({ HINDSIGHT_API_KEY: KEY }))).toBe(false);
  expect(hasExternalMemory(HINDSIGHT)).toBe(true);
  expect(hasExternalMemory({ ...HINDSIGHT, TALARIA_MEMORY_PROVIDER: "hindsight,honcho" })).toBe(false);
});

it("a service that keeps more than one pass erases is asked again in a later pass", async () => {
  const items = Array.from({ length: 100 }, (_, n) => ({ id: `s${n}` }));
  const { requests, fetch } = createService((path) =>
    Response.json(path.endsWith("/sessions") ? { items } : { items: [] }),
  );
  await expect(eraseExternalMemory(HONCHO, PROFILE, fetch)).rejects.toThrow(
    "more of this profile than one pass erases",
  );
  expect(requests.filter((request) => /^POST .*\/peers\/[^/]+\/sessions$/.test(request))).toHaveLength(5);
});

it.each([401, 429, 500])("an answer of %i is an error without the key or the service's text", async (status) => {
  const { fetch } = createService(() => new Response(`denied for ${KEY}`, { status }));
  const error = await eraseExternalMemory(HINDSIGHT, PROFILE, fetch).then(
    () => "no error",
    (thrown: unknown) => String(thrown),
  );
  expect(error).toBe(`Error: Hindsight answered ${status}.`);
});
