// Detection of another user's program at the address of the local Talaria. Only as root can a test start one, as `nobody`.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it } from "vitest";
import { createClient } from "../../cli/connection/client.ts";
import { isForeignListener } from "../../cli/listener.ts";

const SERVER = `
const asked = [];
const server = require("node:http").createServer((incoming, outgoing) => {
  asked.push(incoming.headers.authorization ?? "");
  outgoing.end("{}");
});
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
process.stdin.on("end", () => (console.log(JSON.stringify(asked)), process.exit())).resume();
`;

it("a program of the same user, and a free port, are not foreign listeners", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  expect(isForeignListener(`http://127.0.0.1:${port}`)).toBe(false);
  server.close();
  await once(server, "close");
  expect(isForeignListener(`http://127.0.0.1:${port}`)).toBe(false);
  expect(isForeignListener("https://talaria.example")).toBe(false);
});

it.runIf(process.platform === "linux" && process.getuid?.() === 0)(
  "this machine's own key is never sent to another user's program",
  async () => {
    const other = spawn(process.execPath, ["-e", SERVER], { uid: 65_534, gid: 65_534, cwd: "/" });
    const [first] = (await once(other.stdout, "data")) as [Buffer];
    const url = `http://127.0.0.1:${Number(String(first))}`;
    expect(isForeignListener(url)).toBe(true);
    const client = createClient({ url, key: "tal_own", isOwn: true });
    await expect(client.health()).rejects.toThrow("A program of another user listens");
    const { signal } = new AbortController();
    expect(() => client.watch("01J", { after: "0.0", signal })).toThrow("A program of another user listens");
    const report = once(other.stdout, "data");
    other.stdin.end();
    expect(JSON.parse(String(((await report) as [Buffer])[0]))).toEqual([]);
  },
);
