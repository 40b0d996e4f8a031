// A test of the whole form: `npm run test:browser` runs it, and the short form in `npm test` leaves it out. What the short form keeps:
// CONTRIBUTING.md, "Tests".
import { it } from "vitest";
import { IS_THOROUGH } from "../../support/thorough.ts";

export const whole = IS_THOROUGH ? it : it.skip;
