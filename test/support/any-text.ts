// Texts of any code points for property tests. fast-check's own `fc.string({ unit: "binary" })` builds a table of a million code
// points for each arbitrary, which takes a second.
import fc from "fast-check";

const CODE_POINT = fc.oneof(
  { weight: 3, arbitrary: fc.integer({ min: 0, max: 0x7f }) },
  fc.integer({ min: 0x80, max: 0xd7ff }),
  fc.integer({ min: 0xe000, max: 0x10ffff }),
);

export function anyText({ maxLength = 10 } = {}): fc.Arbitrary<string> {
  const text = fc.array(CODE_POINT, { maxLength }).map((points) => String.fromCodePoint(...points));
  return fc.oneof({ weight: 9, arbitrary: text }, fc.constantFrom("__proto__", "constructor", "toString"));
}
