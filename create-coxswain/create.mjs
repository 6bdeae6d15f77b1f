#!/usr/bin/env node
/** `npm create coxswain my-operator`: hands its arguments to `coxswain new`. */
process.argv.splice(2, 0, "new");
await import(new URL("cli/main.js", import.meta.resolve("coxswain")).href);
