#!/usr/bin/env node
// The command `talaria`: starts cli/talaria.ts through the launcher, in the person's folder. Needs Node 20 and npm.
process.argv.splice(2, 0, "cli/talaria.ts");
await import("../scripts/run.mjs");
