// The characters of a page, decoded by the runtime that ships.
import { describe, expect, it } from "vitest";
import { decodeText } from "../../../../core/tools/web/page/charset.ts";

const bytes = (...values: number[]) => Uint8Array.from(values);
const ascii = (text: string) => [...text].map((char) => char.charCodeAt(0));

describe("decodeText", () => {
  it.each<[string, number[], string, string]>([
    ["UTF-8 by default", [0xc3, 0xa9], "text/html", "é"],
    ["broken UTF-8", [0x61, 0xff, 0x62], "text/html", "a\ufffdb"],
    ["windows-1252 by the header", [0x93, 0xe9, 0x94], "text/html; charset=ISO-8859-1", "“é”"],
    ["Shift_JIS by the header, in quotes", [0x93, 0xfa, 0x96, 0x7b], 'text/html; Charset="shift_jis"', "日本"],
    ["GB18030", [0xd6, 0xd0, 0x81, 0x30, 0x81, 0x30], "text/plain; charset=gb18030", "中\u0080"],
    ["EUC-KR", [0xc7, 0xd1], "text/plain; charset=euc-kr", "한"],
    ["Big5", [0xa4, 0xa4], "text/plain; charset=big5", "中"],
    ["KOI8-R", [0xcd], "text/plain; charset=koi8-r", "м"],
    ["UTF-16 by its mark", [0xff, 0xfe, 0x41, 0x00], "text/html; charset=utf-8", "A"],
    ["UTF-8 by its mark, against the header", [0xef, 0xbb, 0xbf, 0xc3, 0xa9], "text/html; charset=latin1", "é"],
    [
      "a declaration",
      [...ascii('<html><meta charset="windows-1251">'), 0xcf],
      "text/html",
      '<html><meta charset="windows-1251">П',
    ],
    [
      "an older declaration",
      [...ascii('<meta http-equiv=x content="text/html; charset=iso-8859-2">'), 0xb1],
      "",
      '<meta http-equiv=x content="text/html; charset=iso-8859-2">ą',
    ],
    [
      "a declaration of XML",
      [...ascii('<?xml version="1.0" encoding="iso-8859-1"?>'), 0xe9],
      "",
      '<?xml version="1.0" encoding="iso-8859-1"?>é',
    ],
    ["UTF-8 where the label is unknown", [0xc3, 0xa9], "text/html; charset=klingon", "é"],
  ])("reads %s", (_what, given, type, expected) => {
    expect(decodeText(bytes(...given), type)).toBe(expected);
  });
});
