// Ctrl-Z: the terminal is given back, and taken again when the shell continues the program or cannot stop it.
import { expect, it } from "vitest";
import { suspend } from "../../../cli/terminal/input/suspend.ts";

function watch() {
  const seen: string[] = [];
  const note = (what: string) => () => void seen.push(what);
  const send = (group: number, signal: string) => seen.push(`${signal} to ${group}`);
  return { seen, send, screen: { pause: note("pause"), start: note("start") } };
}

it("gives the terminal back before it stops, and takes it once when it is continued", () => {
  const { seen, send, screen } = watch();
  suspend(screen, send);
  process.emit("SIGCONT", "SIGCONT");
  process.emit("SIGCONT", "SIGCONT");
  expect(seen).toEqual(["pause", "SIGTSTP to 0", "start"]);
});

it("takes the terminal again where nothing stops it", async () => {
  const { seen, send, screen } = watch();
  suspend(screen, send);
  await expect.poll(() => seen).toEqual(["pause", "SIGTSTP to 0", "start"]);
});
