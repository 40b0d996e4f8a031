// Ids of sessions that were created at a given time.

const SIGNS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** `end`: its last characters, so that ids of one time differ. */
export function toUlid(time: number, end: string): string {
  const digits = Array.from({ length: 10 }, (_, i) => SIGNS[Math.floor(time / 32 ** (9 - i)) % 32]!);
  return digits.join("") + end.padStart(16, "0");
}
