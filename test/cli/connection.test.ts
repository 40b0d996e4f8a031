// Where the terminal client takes its address and key from. The local key must never reach another address.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { UsageError, readConnection } from "../../cli/connection/connection.ts";
import { createTempFolders } from "../support/temp-folders.ts";

const tempFolder = createTempFolders();

const URL_A = "http://127.0.0.1:8787";

function writeLocal(text: string): string {
  const file = join(tempFolder(), "local.json");
  writeFileSync(file, text);
  return file;
}

const local = writeLocal(JSON.stringify({ url: URL_A, profile: "p", key: "local-key" }));

describe("the connection of the terminal client", () => {
  it("is read from the file that npm start wrote", () => {
    expect(readConnection({}, {}, local)).toEqual({ url: URL_A, key: "local-key", isOwn: true });
  });

  it("is taken from flags, then from the environment, then from the file", () => {
    const env = { TALARIA_URL: "http://b", TALARIA_KEY: "env-key" };
    expect(readConnection({}, env, local)).toEqual({ url: "http://b", key: "env-key" });
    expect(readConnection({ url: "http://c", key: "flag" }, env, local)).toEqual({ url: "http://c", key: "flag" });
    expect(readConnection({}, { TALARIA_URL: "", TALARIA_KEY: "" }, local).key).toBe("local-key");
  });

  it("never sends the local key to another address", () => {
    expect(() => readConnection({ url: "http://elsewhere.example" }, {}, local)).toThrow(UsageError);
    expect(readConnection({ url: `${URL_A}/` }, {}, local).key).toBe("local-key");
  });

  it("is asked for in a sentence when it is not configured", () => {
    expect(() => readConnection({}, {}, "/nowhere/local.json")).toThrow(/^No address\. Run `npm start` once/);
    expect(() => readConnection({ url: "8787" }, {}, local)).toThrow(/"8787" is not a URL/);
  });

  it("is refused with the file's name when the file is broken", () => {
    for (const text of ["{", '{"url":1}']) {
      const file = writeLocal(text);
      expect(() => readConnection({}, {}, file)).toThrow(`${file} cannot be read`);
    }
  });
});
