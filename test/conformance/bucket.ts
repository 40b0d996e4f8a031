// The conformance kit of Bucket. The double and R2 itself must pass it.
import { describe, expect, it } from "vitest";
import type { Bucket, ObjectPage } from "../../core/ports.ts";
import { hasBody } from "../../stores/objects.ts";
import { newProfileId } from "../support/skills/profile-ids.ts";

export function describeBucket(name: string, make: () => Bucket): void {
  describe(`${name} as a bucket`, () => {
    it("returns a stored object with its metadata", async () => {
      const { bucket, at } = setUp(make);
      await bucket.put(at("a"), "one · ü", { customMetadata: { seq: "1" } });
      const found = await bucket.get(at("a"));
      expect([found?.key, await found?.text(), found?.customMetadata]).toEqual([at("a"), "one · ü", { seq: "1" }]);
      expect(found?.uploaded).toBeInstanceOf(Date);
      expect(await bucket.get(at("b"))).toBe(null);
    });

    it("derives the ETag from the body: the same bytes have the same ETag", async () => {
      const { bucket, at } = setUp(make);
      const etags = [];
      for (const body of ["one", "two", "one"]) etags.push((await bucket.put(at("a"), body))?.etag);
      expect(etags[0]).toBe(etags[2]);
      expect(etags[0]).not.toBe(etags[1]);
    });

    it("answers null to a put on a stale ETag and changes nothing", async () => {
      const { bucket, at } = setUp(make);
      const first = await bucket.put(at("a"), "one");
      expect(await bucket.put(at("a"), "two", { ifMatch: first!.etag })).not.toBe(null);
      expect(await bucket.put(at("a"), "three", { ifMatch: first!.etag })).toBe(null);
      expect(await (await bucket.get(at("a")))?.text()).toBe("two");
    });

    it("answers null to a conditional put of a missing object", async () => {
      const { bucket, at } = setUp(make);
      expect(await bucket.put(at("a"), "one", { ifMatch: "0".repeat(32) })).toBe(null);
      expect(await bucket.get(at("a"))).toBe(null);
    });

    it("lets exactly one of twenty writers create an object", async () => {
      const { bucket, at } = setUp(make);
      const puts = Array.from({ length: 20 }, (_, n) => bucket.put(at("a"), `writer ${n}`, { ifAbsent: true }));
      const won = (await Promise.all(puts)).flatMap((made, n) => (made ? [n] : []));
      expect(won).toHaveLength(1);
      expect(await (await bucket.get(at("a")))?.text()).toBe(`writer ${won[0]}`);
    });

    it("omits the body of an unchanged object", async () => {
      const { bucket, at } = setUp(make);
      const one = await bucket.put(at("a"), "one");
      const same = await bucket.getUnless(at("a"), one!.etag);
      expect([same?.etag, hasBody(same!)]).toEqual([one!.etag, false]);
      await bucket.put(at("a"), "two");
      const changed = await bucket.getUnless(at("a"), one!.etag);
      expect(hasBody(changed!) && (await changed.text())).toBe("two");
      expect(await bucket.getUnless(at("b"), one!.etag)).toBe(null);
    });

    it("lists more than a thousand keys in order, page by page", async () => {
      const { bucket, at } = setUp(make);
      const keys = Array.from({ length: 1_050 }, (_, n) => at(`many/${String(n).padStart(5, "0")}`));
      for (let n = 0; n < keys.length; n += 50) {
        await Promise.all(keys.slice(n, n + 50).map((key) => bucket.put(key, "")));
      }
      const pages = await listAll(bucket, { prefix: at("many/") });
      expect(pages.length).toBeGreaterThan(1);
      expect(pages.flatMap((page) => page.objects.map((object) => object.key))).toEqual(keys);
    });

    it("lists metadata only on request, also over short pages", async () => {
      const { bucket, at } = setUp(make);
      for (const key of ["a", "b", "c", "d", "e"]) await bucket.put(at(key), key, { customMetadata: { key } });
      const pages = await listAll(bucket, { prefix: at(""), limit: 2, metadata: true });
      expect(pages.flatMap((page) => page.objects.map((object) => object.customMetadata))).toEqual(
        ["a", "b", "c", "d", "e"].map((key) => ({ key })),
      );
      const plain = await listAll(bucket, { prefix: at("") });
      expect(plain.flatMap((page) => page.objects.map((object) => object.customMetadata?.key))).toEqual(
        Array(5).fill(undefined),
      );
    });

    it("starts a list after a key, whether or not that key exists", async () => {
      const { bucket, at } = setUp(make);
      for (const key of ["a", "b", "d"]) await bucket.put(at(key), "");
      const after = async (key: string) =>
        (await listAll(bucket, { prefix: at(""), startAfter: at(key) })).flatMap((page) =>
          page.objects.map((object) => object.key),
        );
      expect(await after("a")).toEqual([at("b"), at("d")]);
      expect(await after("c")).toEqual([at("d")]);
    });

    it("lists folders separately from objects, each once over short pages", async () => {
      const { bucket, at } = setUp(make);
      for (const key of ["x/1", "x/2", "x/3", "y/1", "y/2", "z"]) await bucket.put(at(key), "");
      const pages = await listAll(bucket, { prefix: at(""), delimiter: "/", limit: 1 });
      const folders = pages.flatMap((page) => page.delimitedPrefixes);
      expect([...new Set(folders)]).toEqual([at("x/"), at("y/")]);
      expect(pages.flatMap((page) => page.objects.map((object) => object.key))).toEqual([at("z")]);
    });

    it("keeps odd names apart", async () => {
      const { bucket, at } = setUp(make);
      const names = ["a b", "a%20b", "a+b", "ä", "a~b", "a/b", "a//b", "a'b"];
      for (const key of names) await bucket.put(at(key), key);
      const bodies = await Promise.all(names.map(async (key) => (await bucket.get(at(key)))?.text()));
      expect(bodies).toEqual(names);
    });

    it("deletes one key or many, existing or not", async () => {
      const { bucket, at } = setUp(make);
      for (const key of ["a", "b", "c"]) await bucket.put(at(key), "");
      await bucket.delete(at("a"));
      await bucket.delete([at("b"), at("nothing")]);
      const [page] = await listAll(bucket, { prefix: at("") });
      expect(page!.objects.map((object) => object.key)).toEqual([at("c")]);
    });
  });
}

function setUp(make: () => Bucket) {
  const folder = `kit/${newProfileId()}/`;
  return { bucket: make(), at: (key: string) => folder + key };
}

async function listAll(bucket: Bucket, options: Parameters<Bucket["list"]>[0]): Promise<ObjectPage[]> {
  const pages: ObjectPage[] = [];
  let cursor: string | undefined;
  do {
    const page = await bucket.list(cursor ? { ...options, startAfter: undefined, cursor } : options);
    pages.push(page);
    cursor = page.truncated ? page.cursor : undefined;
  } while (cursor !== undefined);
  return pages;
}
