import { expect, test } from "vitest";
import {
  decryptBlocks,
  digest,
  hmac,
  readBase64,
  readHex,
  removePadding,
  toBytes,
  toHex,
  toText,
} from "../../../channels/support/crypto.ts";

test("an HMAC and a digest are those of RFC 4231, RFC 2202 and FIPS 180", async () => {
  const jefe = ["Jefe", "what do ya want for nothing?"] as const;
  expect(toHex(await hmac("SHA-256", ...jefe))).toBe(
    "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
  );
  expect(toHex(await hmac("SHA-1", ...jefe))).toBe("effcdf6ae5eb2fa2d27416d5f184df9c259a7c79");
  expect(toHex(await digest("SHA-1", "abc"))).toBe("a9993e364706816aba3e25717850c26c9cd0d89d");
});

test("AES-256-CBC without padding is the vector of SP 800-38A, F.2.6", async () => {
  const key = readHex("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4")!;
  const iv = readHex("000102030405060708090a0b0c0d0e0f")!;
  const data = readHex("f58c4c04d6e5f1ba779eabfb5f7bfbd69cfc4e967edb808d679f777bc6702c7d")!;
  const plain = await decryptBlocks(key, iv, data);
  expect(toHex(plain!)).toBe("6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51");
  expect(await decryptBlocks(key, iv, data.subarray(1))).toBeNull();
  expect(await decryptBlocks(key.subarray(1), iv, data)).toBeNull();
  expect(await decryptBlocks(key, iv, new Uint8Array())).toBeNull();
});

test("padding is removed only where it is whole", () => {
  const padded = (count: number, value = count) => Uint8Array.of(7, ...Array.from({ length: count }, () => value));
  expect(removePadding(padded(31), 32)).toEqual(Uint8Array.of(7));
  expect(removePadding(padded(31), 16)).toBeNull();
  expect(removePadding(padded(3, 4), 16)).toBeNull();
  expect(removePadding(padded(3, 0), 16)).toBeNull();
  expect(removePadding(Uint8Array.of(1, 2, 2, 3), 16)).toBeNull();
  expect(removePadding(new Uint8Array(), 16)).toBeNull();
});

test("text that is not hexadecimal, Base64 or UTF-8 is not an error", () => {
  expect([readHex("0"), readHex("zz"), readBase64("***")]).toEqual([null, null, null]);
  expect(readHex("00ffA0")).toEqual(Uint8Array.of(0, 255, 160));
  expect(toText(Uint8Array.of(0xc3))).toBe("�");
  expect(toText(toBytes("Ä"))).toBe("Ä");
});
