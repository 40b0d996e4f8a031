// Copies node_modules without the caches, which each version makes for itself: `node copy-packages.mjs FROM TO`. A process of its own, so that
// an update can end it.
import { constants, cpSync } from "node:fs";
import { basename, dirname } from "node:path";

const CACHES = [".cache", ".vite", ".vite-temp"];
const [from, to] = process.argv.slice(2);
cpSync(from, to, {
  recursive: true,
  verbatimSymlinks: true,
  mode: constants.COPYFILE_FICLONE,
  filter: (path) => !(CACHES.includes(basename(path)) && dirname(path) === from),
});
