/** dashboard: takes the state that the other layers publish, gives a page that shows them at work. */
export { Page, type PageOptions } from "./page.js";
export { explainText } from "./explain-text.js";
export type { WhyAnswer } from "./wire.js";
export type { Leadership, PageSources, ShownInformer, ShownLoop } from "./sources.js";
