import type { Page } from 'playwright-core';

/** Layout faults of a page: words broken in the middle, and parts that scroll sideways. */
export interface LayoutFaults {
  readonly brokenWords: readonly string[];
  readonly tooWide: readonly string[];
}

/** Checks everything visible. A table may scroll within its own frame, as in Slack. */
export async function layoutFaults(page: Page): Promise<LayoutFaults> {
  return (await page.evaluate(LOOK)) as LayoutFaults;
}

/** A script for the page, as text because the tests are compiled without browser types. */
const LOOK = `(() => {
  const brokenWords = new Set();
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const text = texts.currentNode;
    if (!text.parentElement.checkVisibility({ visibilityProperty: true })) continue;
    // Words may break at a hyphen, a slash or a dot.
    for (const { 0: word, index } of text.data.matchAll(/[\\p{L}\\p{N}$.,_’']+/gu)) {
      const range = document.createRange();
      range.setStart(text, index);
      range.setEnd(text, index + word.length);
      const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top / 4)));
      if (lines.size > 1) brokenWords.add(word);
    }
  }
  const parts = [document.documentElement, ...document.querySelectorAll('#scroll, .thread-body, .dialog-body, .sidebar-scroll, .channel-head')];
  const tooWide = parts.filter((part) => part.scrollWidth > part.clientWidth + 1).map((part) => part.id || part.className || part.tagName);
  return { brokenWords: [...brokenWords], tooWide };
})()`;
