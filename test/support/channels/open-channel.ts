// A channel whose platform is a `PlatformWorld`: the dependencies that durable-objects/channels gives a platform, in memory. Faults are put
// between the two. Used by the conformance kit and by tests of single platforms.
import { timingSafeEqual } from "node:crypto";
import type {
  OpenChannel,
  PlatformClient,
  PlatformReply,
  PlatformRequest,
  Received,
} from "../../../core/channels/platform.ts";
import { type Result, err, ok } from "../../../core/errors.ts";
import type { ChannelRequest } from "../../../core/channels/platform.ts";
import { type TestClock, createTestClock } from "../clock.ts";
import type { PlatformFixture, PlatformWorld } from "./fixture.ts";

/** Answers in place of the platform's API. `null`: the request goes on to it. A `Result` is a failure of the way there. */
export type Fault = (
  request: SeenRequest,
) => Promise<Response | Result<never> | null> | Response | Result<never> | null;

export interface SeenRequest {
  url: string;
  method: string;
  headers: Headers;
  body: Uint8Array;
}

export interface TestChannel<Fields> {
  fixture: PlatformFixture<Fields>;
  clock: TestClock;
  world: PlatformWorld;
  channel: OpenChannel<Fields>;
  client: PlatformClient;
  /** Every request to the API, as the platform's file sent it. */
  seen: SeenRequest[];
  /** Every pair that was compared in constant time. */
  compared: [string, string][];
  /** For all requests from now on; `null`: none. */
  setFault(fault: Fault | null): void;
  /** `isSame` answers so from now on; `null`: truthfully. */
  setSame(answer: boolean | null): void;
  /** What becomes of a request to the channel: `null` if it was refused. */
  receive(request: ChannelRequest): Promise<Received | null>;
}

export interface TestChannelOptions {
  fields?: Record<string, unknown>;
  apiBase?: string;
  profile?: string;
  clock?: TestClock;
  /** Another channel's, to share it. */
  world?: PlatformWorld;
}

const DEFAULT_BYTES = 4_000_000;

export function openTestChannel<Fields>(
  fixture: PlatformFixture<Fields>,
  options: TestChannelOptions = {},
): TestChannel<Fields> {
  const clock = options.clock ?? createTestClock(Date.UTC(2026, 10, 27, 12));
  const world = options.world ?? fixture.createWorld(clock);
  const profile = options.profile ?? "p1";
  const seen: SeenRequest[] = [];
  const compared: [string, string][] = [];
  const cache = new Map<string, { value: unknown; expiresAt: number }>();
  const kept = new Map<string, Uint8Array>();
  let fault: Fault | null = null;
  let same: boolean | null = null;
  let count = 0;

  async function request(url: string, init: PlatformRequest = {}): Promise<Result<PlatformReply>> {
    const body = typeof init.body === "string" ? new TextEncoder().encode(init.body) : (init.body ?? new Uint8Array());
    const sent = { url, method: init.method ?? "GET", headers: new Headers(init.headers), body };
    seen.push(sent);
    const answer = (await fault?.(sent)) ?? (await world.serve(toUsualUrl(url), sent));
    if (!(answer instanceof Response)) return answer;
    const bytes = new Uint8Array(await answer.arrayBuffer());
    if (bytes.length > (init.maxBytes ?? DEFAULT_BYTES)) return err("reply_too_large", "The reply is too large.");
    return ok({ status: answer.status, headers: answer.headers, bytes });
  }

  function toUsualUrl(url: string): string {
    const { apiBase } = options;
    return apiBase !== undefined && url.startsWith(`${apiBase}/`) ? fixture.api + url.slice(apiBase.length) : url;
  }

  const channel: OpenChannel<Fields> = {
    profile,
    fields: fixture.platform.fields.parse(options.fields ?? fixture.fields),
    address: fixture.address ?? `https://talaria.test/channels/${fixture.platform.name}/${profile}`,
    self: fixture.self,
    deps: {
      clock,
      uuid: () => `00000000-0000-4000-8000-${String(++count).padStart(12, "0")}`,
      isSame(a, b) {
        compared.push([a, b]);
        return same ?? isSameText(a, b);
      },
      apiBase: options.apiBase ?? null,
      request,
      async cached<T>(key: string, make: () => Promise<Result<{ value: T; expiresAt: number }>>) {
        const kept = cache.get(key);
        if (kept && kept.expiresAt > clock.now()) return ok(kept.value as T);
        const made = await make();
        if (!made.ok) return made;
        cache.set(key, made.value);
        return ok(made.value.value);
      },
      forget: (key) => void cache.delete(key),
      sendEmail: world.sendEmail,
      keptFile: async (ref) => kept.get(ref) ?? null,
    },
  };
  return {
    fixture,
    clock,
    world,
    channel,
    client: fixture.platform.open(channel),
    seen,
    compared,
    setFault: (next) => void (fault = next),
    setSame: (next) => void (same = next),
    async receive(incoming) {
      const verified = await fixture.platform.verify(incoming, channel);
      const received = verified && (await fixture.platform.parse({ request: incoming, text: verified.text }, channel));
      for (const { ref, bytes } of received?.files ?? []) kept.set(ref, bytes);
      return received;
    },
  };
}

function isSameText(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
