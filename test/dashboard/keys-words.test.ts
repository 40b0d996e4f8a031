// What the page Keys says of keys and of the audit log.
import { describe, expect, it } from "vitest";
import {
  type KeyInfo,
  RIGHTS,
  isExpired,
  listExpiries,
  nameAct,
  nameActor,
  nameKey,
  outlives,
} from "../../dashboard/keys/keys-words.ts";

const KEY: KeyInfo = { id: "key_000000000001", label: "nightly", scopes: ["read"], createdAt: 1 };

describe("a key on the page", () => {
  it("has the name that it was given, or its id", () => {
    expect(nameKey(KEY)).toBe("nightly");
    expect(nameKey({ ...KEY, label: "  " })).toBe(KEY.id);
  });

  it("ends before the sign-in that makes it, and does not show its secret to one that ends earlier", () => {
    const day = 86_400_000;
    expect(listExpiries(1_000, 7 * day).map(({ at }) => at)).toEqual([day + 1_000, 3 * day + 1_000]);
    expect(listExpiries(1_000, null)).toEqual([]);
    expect([outlives({}, day), outlives({ expiresAt: day }, day), outlives({}, null)]).toEqual([true, false, false]);
    expect(isExpired({ expiresAt: 5 }, 5)).toBe(true);
    expect(isExpired({}, 5)).toBe(false);
  });

  it("may do what the lesser right may do, and more", () => {
    expect(RIGHTS.map(({ scopes }) => scopes)).toEqual([["read"], ["read", "write"], ["read", "write", "admin"]]);
  });
});

describe("a line of the audit log", () => {
  it("names the act in words, and who did it by the name of the key", () => {
    expect(nameAct("key_create")).toBe("Key create");
    expect(nameActor({ by: "operator" }, [KEY])).toBe("The operator");
    expect(nameActor({ by: KEY.id, key: KEY.id }, [KEY])).toBe("nightly");
    expect(nameActor({ by: "sin_000000000000", key: KEY.id }, [KEY])).toBe("A browser, by nightly");
    expect(nameActor({ by: "key_gone", key: "key_gone" }, [KEY])).toBe("key_gone");
  });
});
