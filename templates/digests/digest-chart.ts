import type { KnownBlock } from '@slack/types';
import { plain, truncate } from '../../src/slack/mrkdwn.ts';

/** https://docs.slack.dev/reference/block-kit/blocks/data-visualization-block */
const CATEGORIES_MAX = 8;
const TEXT_MAX = 50;

/**
 * Now and before, side by side, as Slack's own chart. It shows what the text says as well, so a workspace without charts
 * misses nothing.
 */
export function comparison(
  title: string,
  [now, before]: readonly [now: string, before: string],
  rows: readonly { readonly name: string; readonly count: number; readonly before: number }[],
): KnownBlock[] {
  if (rows.length === 0) return [];
  const named = distinct(rows.slice(0, CATEGORIES_MAX));
  const series = (name: string, value: (row: (typeof named)[number]) => number) => ({
    name,
    data: named.map((row) => ({ label: row.label, value: value(row) })),
  });
  const block = {
    type: 'data_visualization',
    title,
    chart: {
      type: 'bar',
      series: [series(now, ({ count }) => count), series(before, (row) => row.before)],
      axis_config: { categories: named.map(({ label }) => label) },
    },
  };
  // The published types do not have it yet.
  return [block as unknown as KnownBlock];
}

/** Slack refuses two bars of one name. */
function distinct<T extends { readonly name: string }>(rows: readonly T[]): (T & { readonly label: string })[] {
  const known = new Set<string>();
  return rows.map((row) => {
    const name = truncate(plain(row.name), TEXT_MAX - 4) || '–';
    let label = name;
    for (let nth = 2; known.has(label); nth += 1) label = `${name} ${nth}`;
    known.add(label);
    return { ...row, label };
  });
}
