// The file of `/image`, and the message that it goes with.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { Client } from "../../cli/connection/client.ts";
import { isImagePath, readImageFile } from "../../cli/image-file.ts";
import { createOrders } from "../../cli/orders.ts";
import { parseTypedLine } from "../../core/commands/parse-command.ts";
import { makePng, toDataUrl } from "../support/images.ts";

const folder = mkdtempSync(join(tmpdir(), "talaria-image-"));
const path = join(folder, "a cat.png");
writeFileSync(path, makePng(3, 3));
afterAll(() => rmSync(folder, { recursive: true }));

const data = toDataUrl(makePng(3, 3), "application/octet-stream");

describe("an image file", () => {
  it("is read as a data URL, with its name, also from a path in quotes", async () => {
    const read = { image: { data, name: "a cat.png" } };
    expect([await readImageFile(path), await readImageFile(` "${path}" `)]).toEqual([read, read]);
  });

  it("is found as a terminal types it when it is dropped: in quotes, or with escaped spaces", async () => {
    const escaped = path.replaceAll(" ", "\\ ");
    expect([path, escaped, `'${path}'`].map(isImagePath)).toEqual([true, true, true]);
    const others = ["What is /a.png?", "a cat.png", `${folder}/no.png`, `see ${path}`, folder];
    expect(others.map(isImagePath)).toEqual([false, false, false, false, false]);
    expect(await readImageFile(escaped)).toMatchObject({ image: { name: "a cat.png" } });
  });

  it("that is not an image is refused before it is sent", async () => {
    const text = join(folder, "text.png");
    writeFileSync(text, "hello");
    expect(await readImageFile(text)).toEqual({ refusal: "(text.png is not a PNG, JPEG, WebP or GIF image.)" });
  });

  it("that is absent, a folder or too large gives a sentence", async () => {
    const large = join(folder, "large.png");
    writeFileSync(large, new Uint8Array(6_000_000));
    const no = join(folder, "no.png");
    expect([await readImageFile(no), await readImageFile(folder), await readImageFile(large)]).toEqual([
      { refusal: `(There is no file ${no} that can be read.)` },
      { refusal: `(There is no file ${folder} that can be read.)` },
      { refusal: "(large.png has 6000000 bytes, and an image may have 5900000. Make it smaller.)" },
    ]);
  });
});

it("a line that is only the path of an image is /image, where the client takes paths", async () => {
  const posted: string[] = [];
  const client = {
    postMessage: async (_session: string, text: string) => (
      posted.push(text),
      { turn: "01J00000000000000000000000-1" }
    ),
  } as unknown as Client;
  const ignored = { showLine() {}, showPrompt() {}, onMessage() {}, onTurn() {}, leave: async () => {} };
  for (const takesPaths of [true, false]) {
    await createOrders({ client, session: "s", takesPaths, ...ignored })(parseTypedLine(path));
  }
  expect(posted).toEqual([path]);
});

describe("/image", () => {
  it("sends the file with the next message to the model, and not with the one after it", async () => {
    const posted: unknown[] = [];
    const lines: string[] = [];
    const client = {
      postMessage: async (_session: string, text: string, _key: string, { images }: { images: unknown[] }) => {
        posted.push([text, images]);
        return { turn: "01J00000000000000000000000-1" };
      },
    } as unknown as Client;
    const obey = createOrders({
      ...{ client, session: "s", showLine: (line) => void lines.push(line), showPrompt() {} },
      ...{ onMessage() {}, onTurn() {}, leave: async () => {} },
    });
    for (const line of [`/image ${path}`, "/image no.png", "/rollback", "What is this?", "And now?"])
      await obey(parseTypedLine(line));
    expect(posted).toEqual([
      ["/rollback", []],
      ["What is this?", [{ data, name: "a cat.png" }]],
      ["And now?", []],
    ]);
    expect(lines).toEqual([
      "(a cat.png goes with your next message)",
      expect.stringMatching(/^\(There is no file .*no\.png/),
    ]);
    expect(parseTypedLine("/image")).toEqual({ kind: "misused", hint: "Write it as /image PATH." });
  });
});
