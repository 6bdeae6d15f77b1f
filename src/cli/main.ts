#!/usr/bin/env node
/** The command line: one file per command, this one only finds it. */
process.stdout.write("coxswain: the control plane is not built yet\n");
