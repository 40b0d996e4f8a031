// What counts as an image, by its bytes, and how large it may be.
import { describe, expect, it } from "vitest";
import { checkImage, decodeDataUrl } from "../../core/images/check-image.ts";
import { readImageHeader } from "../../core/images/read-header.ts";
import { DEFAULTS } from "../../core/limits.ts";
import { makeExif, makeGif, makeJpeg, makePng, makeWebp, toDataUrl } from "../support/images.ts";

const LIMITS = DEFAULTS.images;
const utf8 = (text: string) => new TextEncoder().encode(text);
const codeOf = (bytes: Uint8Array) => {
  const checked = checkImage(bytes, "It", LIMITS);
  return checked.ok ? checked.value.type : checked.failure.code;
};

describe("an image's header", () => {
  it.each([
    ["PNG", makePng(800, 600), "image/png"],
    ["JPEG", makeJpeg(800, 600), "image/jpeg"],
    ["JPEG with EXIF and a thumbnail inside", makeJpeg(800, 600, { segments: makeExif() }), "image/jpeg"],
    ["CMYK JPEG", makeJpeg(800, 600, { components: 4 }), "image/jpeg"],
    ["JPEG with fill bytes", makeJpeg(800, 600, { segments: [0xff, 0xff, 0xff, 0xe0, 0, 2] }), "image/jpeg"],
    ["GIF", makeGif(800, 600), "image/gif"],
    ["lossy WebP", makeWebp("VP8 ", 800, 600), "image/webp"],
    ["lossless WebP", makeWebp("VP8L", 800, 600), "image/webp"],
    ["extended WebP", makeWebp("VP8X", 800, 600), "image/webp"],
  ])("gives type and size of a %s", (_, bytes, type) => {
    expect(readImageHeader(bytes)).toEqual({ type, width: 800, height: 600 });
  });

  it("is never read past its end, wherever the file is cut", () => {
    const whole = [makePng(8, 8), makeJpeg(8, 8, { segments: makeExif() }), makeGif(8, 8), makeWebp("VP8X", 8, 8)];
    for (const bytes of whole) {
      for (let length = 0; length < bytes.length; length++) {
        const header = readImageHeader(bytes.slice(0, length));
        expect(header === null || (header.width === 8 && header.height === 8)).toBe(true);
      }
    }
  });

  it("of other files is refused, whatever they pretend to be", () => {
    const hostile: [string, Uint8Array][] = [
      ["SVG", utf8('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')],
      ["HTML", utf8("<!doctype html><img src=x>")],
      ["BMP", utf8("BM\0\0\0\0")],
      ["a PNG's signature alone", makePng(8, 8).slice(0, 16)],
      [
        "a JPEG whose scan begins before its frame",
        Uint8Array.from([0xff, 0xd8, 0xff, 0xda, 0, 8, 1, 1, 1, 1, 1, 1, 1]),
      ],
      ["a JPEG whose segment has the length 0", Uint8Array.from([0xff, 0xd8, 0xff, 0xe1, 0, 0, ...Array(20).fill(0)])],
      ["a JPEG without a size", makeJpeg(0, 0)],
      ["a RIFF that is a sound", utf8(`RIFF0000WAVE${"0".repeat(30)}`)],
      ["nothing", new Uint8Array(0)],
    ];
    expect(hostile.map(([name, bytes]) => [name, codeOf(bytes)])).toEqual(
      hostile.map(([name]) => [name, "image_type_refused"]),
    );
  });

  it("decides for a file that is two things at once", () => {
    const polyglot = Uint8Array.from([...makeGif(9, 9), ...utf8("=1;alert(1)//<script>alert(1)</script>")]);
    expect(codeOf(polyglot)).toBe("image/gif");
  });
});

describe("the limits of an image", () => {
  it("refuse a bomb of 65,535 × 65,535 pixels in a small file", () => {
    expect([codeOf(makePng(65_535, 65_535)), codeOf(makeJpeg(65_535, 65_535)), codeOf(makeGif(65_535, 9))]).toEqual([
      "image_too_large",
      "image_too_large",
      "image_too_large",
    ]);
    expect(checkImage(makePng(8_001, 2), "Image 1", LIMITS)).toEqual({
      ok: false,
      failure: {
        code: "image_too_large",
        message: "Image 1 has 8001 × 2 pixels, and a side may have 8000. Make it smaller.",
        facts: { width: 8_001, height: 2 },
      },
    });
    expect(codeOf(makePng(8_000, 8_000))).toBe("image/png");
  });

  it("refuse too many bytes, of a data URL before it is decoded", () => {
    expect(codeOf(makePng(9, 9, { bytes: LIMITS.maxBytes }))).toBe("image/png");
    expect(codeOf(makePng(9, 9, { bytes: LIMITS.maxBytes + 1 }))).toBe("image_too_large");
    const url = `data:image/png;base64,${"A".repeat(LIMITS.maxBytes * 2)}`;
    expect(decodeDataUrl(url, "It", LIMITS)).toMatchObject({ ok: false, failure: { code: "image_too_large" } });
  });

  it("take a data URL by its bytes, and refuse one that is not Base64", () => {
    const png = makePng(3, 4);
    expect(decodeDataUrl(toDataUrl(png, "text/html;charset=utf-8"), "It", LIMITS)).toEqual({ ok: true, value: png });
    for (const url of ["data:image/png,abc", "data:image/png;base64,a*b", "https://example.com/a.png"]) {
      expect(decodeDataUrl(url, "It", LIMITS)).toMatchObject({ ok: false, failure: { code: "image_type_refused" } });
    }
  });
});
