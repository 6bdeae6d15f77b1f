/** Starts the page: connects to the process's stream and shows the view that the address names. */
import { render } from "preact";
import { App } from "./app.js";
import { readSeldom } from "./state/numbers.js";
import { connect } from "./state/store.js";

connect();
readSeldom();
const root = document.getElementById("page");
if (root !== null) render(<App />, root);
