// Generates tables from a seed: file names, column names, types and values. For tests of properties that must hold on any data.
import { createDraw } from "../../scripts/demo/random.ts";
import type { Table } from "../../scripts/demo/tables.ts";

const SYLLABLES = "ba ke lo mi nu pra ster vo zin quo tal fen gri hul".split(" ");

export function inventTable(seed: number, rows = 60): Table {
  const draw = createDraw(seed);
  const used = new Set<string>();
  const word = (): string => {
    const madeWord = Array.from({ length: 2 + Math.floor(draw.next() * 2) }, () => draw.pick(SYLLABLES)).join("");
    if (used.has(madeWord)) return word();
    used.add(madeWord);
    return madeWord;
  };
  const title = () =>
    draw.next() < 0.3 ? `${word()} ${word()}` : draw.next() < 0.2 ? `${word()} (${word()})` : word();
  const groups = [word(), word(), word()];
  const everyDay = draw.next() < 0.7;
  const gaps = draw.next() < 0.7;
  const small = { low: -40, high: 60, digits: 1 + Math.floor(draw.next() * 2) };
  const large = { low: 0, high: 10 ** (4 + Math.floor(draw.next() * 4)), digits: draw.next() < 0.5 ? 0 : 2 };
  const number = ({ low, high, digits }: typeof small) => (low + draw.next() * (high - low)).toFixed(digits);
  const columns: Table["columns"] = [
    { name: title(), kind: "text" },
    { name: title(), kind: "date" },
    { name: title(), kind: "number" },
    { name: title(), kind: "number" },
    { name: title(), kind: "text" },
  ];
  const cells = Array.from({ length: rows }, (_, i) => {
    const day = new Date(Date.UTC(2015, everyDay ? 0 : i, everyDay ? 1 + i : 1)).toISOString().slice(0, 10);
    const maybe = (value: string) => (gaps && i > 0 && draw.next() < 0.12 ? null : value);
    const remark = draw.next() < 0.2 ? `${word()}; "${word()}" | ${word()},\t${word()}` : word();
    return [draw.pick(groups), day, maybe(number(small)), maybe(number(large)), remark];
  });
  return { file: `${word()}.csv`, columns, cells };
}
