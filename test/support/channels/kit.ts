// The conformance kit: what every messaging platform must hold, whatever its API is like. Called once by each
// test/channels/<platform>.test.ts with its fixture; tests of what only one platform has stand beside the call.
import { describe, test } from "vitest";
import type { PlatformFixture } from "./fixture.ts";
import { type Statement, createCheck } from "./kit/check.ts";
import { checkAnswers } from "./kit/answers.ts";
import { checkCalling } from "./kit/calling.ts";
import { checkFaults } from "./kit/faults.ts";
import { checkHostile } from "./kit/hostile.ts";
import { checkProof } from "./kit/proof.ts";
import { checkReading } from "./kit/reading.ts";
import { checkSending } from "./kit/sending.ts";
import { checkSettings } from "./kit/settings.ts";

export type * from "./fixture.ts";
export { openTestChannel, type TestChannel } from "./open-channel.ts";

export function describePlatform<Fields>(fixture: PlatformFixture<Fields>): void {
  describe(`${fixture.platform.title}, as every platform:`, () => {
    for (const { title, run } of listStatements(fixture)) test(title, run);
  });
}

/** What the kit says of this platform. Each function throws if it does not hold. */
export function listStatements<Fields>(fixture: PlatformFixture<Fields>): Statement[] {
  const statements: Statement[] = [];
  const check = createCheck(statements);
  checkSettings(fixture, check);
  checkProof(fixture, check);
  checkReading(fixture, check);
  checkHostile(fixture, check);
  checkSending(fixture, check);
  checkCalling(fixture, check);
  checkAnswers(fixture, check);
  checkFaults(fixture, check);
  return statements;
}
