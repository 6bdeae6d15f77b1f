/** Scrolls through a long list in the browser, a screen in each frame: gives the rows that the frames drew. */
import type { Page as Tab } from "playwright-core";

export interface Frames {
  /** The most rows that existed at once. */
  readonly mostRows: number;
  /** Rows that were added to the page in the frame that added most. */
  readonly mostAdded: number;
}

export async function scrollThrough(tab: Tab, frames: number): Promise<Frames> {
  const result: unknown = await tab.evaluate(`(async () => {
    const box = document.querySelector(".virtual");
    const frame = () => new Promise((next) => requestAnimationFrame(next));
    let added = 0, mostAdded = 0, mostRows = 0;
    const observer = new MutationObserver((changes) => {
      for (const change of changes) added += [...change.addedNodes].filter((node) => node.classList?.contains("key-row")).length;
    });
    observer.observe(box, { childList: true, subtree: true });
    await frame();
    for (let i = 0; i < ${frames}; i++) {
      box.scrollTop += box.clientHeight;
      await frame();
      mostAdded = Math.max(mostAdded, added);
      mostRows = Math.max(mostRows, box.querySelectorAll(".key-row").length);
      added = 0;
    }
    observer.disconnect();
    return { mostRows, mostAdded };
  })()`);
  return result as Frames;
}
