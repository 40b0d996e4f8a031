// Runs as another user of the machine: `node seat-of-another.mjs '<json>'`. It sends a request to every port, connects to every
// socket and opens every file in its argument, and prints the results as JSON.
import { readFileSync, readdirSync } from "node:fs";
import { connect } from "node:net";

const { ports, paths, sockets, files } = JSON.parse(process.argv[2]);

/** Uses a raw socket, so that path, Host and headers are sent unchanged. Resolves with everything received before the timeout. */
function ask(where, lines) {
  return new Promise((done) => {
    let text = "";
    const socket = connect(where);
    const end = () => (socket.destroy(), done(text));
    socket.setTimeout(1_500, end);
    socket.once("connect", () => socket.write(`${lines.join("\r\n")}\r\n\r\n`));
    socket.on("data", (piece) => (text += piece));
    socket.once("error", (error) => done(text || `error: ${error.code}`));
    socket.once("close", end);
  });
}

const answers = [];
for (const port of ports) {
  for (const [path, ...headers] of paths) {
    const lines = [`${path} HTTP/1.1`, `Host: 127.0.0.1:${port}`, "Connection: close", ...headers];
    answers.push({ port, path, text: await ask({ port, host: "127.0.0.1" }, lines) });
  }
}
const connected = [];
for (const path of sockets) {
  connected.push({ path, text: await ask({ path }, ["GET /health HTTP/1.1", "Host: localhost", "Connection: close"]) });
}
const opened = files.filter((file) => {
  try {
    readFileSync(file);
    return true;
  } catch (error) {
    if (error.code !== "EISDIR") return false;
  }
  try {
    return readdirSync(file).length >= 0;
  } catch {
    return false;
  }
});
console.log(JSON.stringify({ uid: process.getuid?.(), answers, connected, opened }));
