import type { Block, KnownBlock } from '@slack/types';
import * as limits from '../../src/slack/limits.ts';
import { plain, truncate } from '../../src/slack/mrkdwn.ts';

/** One bar: a name, which may come from outside, and a number. */
export type Bar = readonly [label: string, value: number];

/**
 * Slack's own chart, as bars: a picture of numbers that stand in the text as well. Not every workspace has it.
 * https://docs.slack.dev/reference/block-kit/blocks/data-visualization-block
 */
export function barChart(title: string, series: string, bars: readonly Bar[]): KnownBlock {
  const known = new Set<string>();
  const data = bars.slice(0, limits.CHART_CATEGORIES_MAX).map(([label, value], i) => {
    const cut = truncate(plain(label), limits.CHART_LABEL_MAX) || '–';
    // Two bars of one name would be refused.
    const name = known.has(cut) ? `${truncate(cut, limits.CHART_LABEL_MAX - 5)} (${i + 1})` : cut;
    known.add(name);
    return { label: name, value };
  });
  const block: Block & { readonly title: string; readonly chart: object } = {
    type: 'data_visualization',
    title: truncate(plain(title), limits.CHART_TITLE_MAX),
    chart: {
      type: 'bar',
      series: [{ name: truncate(plain(series), limits.CHART_LABEL_MAX), data }],
      axis_config: { categories: data.map(({ label }) => label) },
    },
  };
  // The published types do not have it yet.
  return block as Block as KnownBlock;
}
