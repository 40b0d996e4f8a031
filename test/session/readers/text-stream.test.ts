import { expect, it } from "vitest";
import { createTextStream } from "../../../core/session/readers/text-stream.ts";

async function readAll(stream: ReadableStream<Uint8Array>): Promise<string[]> {
  const chunks: string[] = [];
  for await (const chunk of stream) chunks.push(new TextDecoder().decode(chunk));
  return chunks;
}

const ticks = async () => {
  for (let i = 0; i < 20; i++) await Promise.resolve();
};

it("text that gathers while the reader is busy is sent as one chunk", async () => {
  const text = createTextStream(() => {});
  text.write("one ");
  text.write("two ");
  text.end();
  expect(await readAll(text.stream)).toEqual(["one two "]);
});

it("a waiting reader gets each text at once", async () => {
  const text = createTextStream(() => {});
  const reading = readAll(text.stream);
  for (const word of ["one ", "two "]) {
    await ticks();
    text.write(word);
  }
  await ticks();
  text.end();
  expect(await reading).toEqual(["one ", "two "]);
});

it("a reader that is too slow loses its stream, however much it had to catch up on before", async () => {
  const text = createTextStream(() => {});
  expect(text.write("x".repeat(100))).toBe(true);
  text.limit(10);
  expect(text.write("y".repeat(10))).toBe(true);
  expect(text.write("z")).toBe(false);
  expect(text.write("z")).toBe(false);
  await expect(readAll(text.stream)).rejects.toThrow("too slow");
});

it("a reader that has caught up may lag only within the limit", async () => {
  const text = createTextStream(() => {});
  text.write("x".repeat(100));
  text.limit(10);
  const reader = text.stream.getReader();
  expect((await reader.read()).value).toHaveLength(100);
  expect(text.write("y".repeat(11))).toBe(false);
});

it("a reader that leaves is reported once, and nothing more is accepted", async () => {
  let left = 0;
  const text = createTextStream(() => left++);
  const reader = text.stream.getReader();
  const reading = reader.read();
  await ticks();
  await reader.cancel();
  expect(await reading).toEqual({ done: true, value: undefined });
  expect([left, text.write("late")]).toEqual([1, false]);
  text.end();
});
