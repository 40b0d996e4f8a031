// Patches the installed Miniflare, so that a start of the Workers does not copy them again for each field of their configuration: that
// took half of the processor time of a start. Called by scripts/run.mjs before every command. Idempotent.
import { patchPackage } from "./patch-package.mjs";

const PATCHES = [
  {
    why: "the configuration of workerd is written into one buffer, which grew by one field at a time and was copied each time",
    from: "  s.buffer = new ArrayBuffer(srcBuffer.byteLength + minSize);",
    to: "  s.buffer = new ArrayBuffer(srcBuffer.byteLength + Math.max(minSize, srcBuffer.byteLength));",
  },
];

export function patchMiniflare(modules) {
  patchPackage(modules, {
    file: "miniflare/dist/src/index.js",
    patches: PATCHES,
    name: "miniflare",
    script: "scripts/patch-miniflare.mjs",
  });
}
