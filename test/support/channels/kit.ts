// The conformance kit: what every messaging platform must hold, whatever its API is like. Called once by each
// test/channels/<platform>.test.ts with its fixture; tests of what only one platform has stand beside the call.
import { describe } from "vitest";
import type { PlatformFixture } from "./fixture.ts";
import { describeProof } from "./kit/proof.ts";
import { describeReading } from "./kit/reading.ts";
import { describeSending } from "./kit/sending.ts";

export type * from "./fixture.ts";
export { openTestChannel, type TestChannel } from "./open-channel.ts";

export function describePlatform<Fields>(fixture: PlatformFixture<Fields>): void {
  describe(`${fixture.platform.title}, as every platform,`, () => {
    describeProof(fixture);
    describeReading(fixture);
    describeSending(fixture);
  });
}
