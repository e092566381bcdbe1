import { describe, expect, it } from 'vitest';
import type { ChannelVisibility } from '../../../src/core/channel-visibility.ts';
import { OutboxEntry, trackedOf } from '../../../src/outbox/entry.ts';
import { createRenderBatch } from '../../../src/outbox/render-entries.ts';
import type { Message } from '../../../src/slack/message.ts';
import type { BatchRow } from '../../../templates/outbox/batch-row.ts';
import { batchRows, transactionAlert } from '../../templates/fixtures.ts';

const hasChart = (message: Message | undefined): boolean =>
  message?.blocks.some(({ type }) => String(type) === 'data_visualization') === true;

/** Alerts of so many reasons. */
function flood(reasons: number) {
  const rows = Array.from({ length: 130 }, (_, index): BatchRow => {
    const [row] = batchRows([transactionAlert()], { place: 'private', channel: 'C1' });
    return { ...(row as BatchRow), id: `evt_${index}`, why: `reason ${index % reasons}`, merchant: 'x'.repeat(100) };
  });
  const entries = rows.map(({ id }) => OutboxEntry.parse({ kind: 'tracked', id, subject: { kind: 'alert', id } }));
  return { rows, entries };
}

const renderingOf = (rowsNow: () => BatchRow[], isRefused: () => boolean) =>
  createRenderBatch({
    rowsOf: async () => rowsNow(),
    visibilityOf: async () => 'private',
    unsupported: { has: async (block) => block === 'chart' && isRefused() },
  });

/** Renders alerts as one message, and again after what has changed since. */
async function postedAndEdited(
  { render, update }: ReturnType<typeof renderingOf>,
  entries: ReturnType<typeof flood>['entries'],
  change: () => void,
) {
  const posted = await render(trackedOf(entries), 'C1');
  if (posted === null) throw new Error('no message');
  change();
  const edited = await update(posted.batch, 'C1');
  return { posted, charts: [hasChart(posted.message), hasChart(edited?.message)] };
}

describe('a summary', () => {
  /** Slack refuses charts, or takes them: at first, and when the message is edited. */
  it.each([
    [true, true],
    [false, false],
    [true, false],
    [false, true],
  ])('keeps its chart, or has none, even if charts are refused: %s, then %s', async (first, then) => {
    const { rows, entries } = flood(3);
    let isRefused = first;
    const renderBatch = renderingOf(
      () => rows,
      () => isRefused,
    );

    const { posted, charts } = await postedAndEdited(renderBatch, entries, () => {
      isRefused = then;
    });

    expect(posted.batch.form).toBe('summary');
    expect(charts).toEqual([!first, !first]);
  });

  it('without a chart, because all alerts have one reason, gets none when they have several', async () => {
    const { rows, entries } = flood(1);
    let now = rows;
    const renderBatch = renderingOf(
      () => now,
      () => false,
    );

    const { posted, charts } = await postedAndEdited(renderBatch, entries, () => {
      now = flood(3).rows;
    });

    expect(posted.newBlocks).toEqual([]);
    expect(charts).toEqual([false, false]);
  });

  it('of an older version, whose record does not say it, has a chart if the workspace takes charts', async () => {
    const { rows, entries } = flood(3);
    for (const isRefused of [true, false]) {
      const renderBatch = renderingOf(
        () => rows,
        () => isRefused,
      );
      const posted = await renderBatch.render(trackedOf(entries), 'C1');
      if (posted === null) throw new Error('no message');
      const { hasChart: _notKnown, ...batch } = posted.batch;

      const edited = await renderBatch.update(batch, 'C1');

      expect(hasChart(edited?.message)).toBe(!isRefused);
    }
  });
});

describe('the rows of a summary', () => {
  const entries = Array.from({ length: 40 }, (_, index) =>
    OutboxEntry.parse({ kind: 'tracked', id: `e${index}`, subject: { kind: 'alert', id: `evt_${index}` } }),
  ).filter((entry) => entry.kind === 'tracked');

  function world() {
    let visibility: ChannelVisibility = 'private';
    const reads: string[] = [];
    const view = { place: 'private', channel: 'C1' } as const;
    const renderBatch = createRenderBatch({
      async rowsOf(ids) {
        reads.push(`${ids.length} for ${visibility}`);
        const [row] = batchRows([transactionAlert()], view);
        return ids.map((id): BatchRow => ({ ...(row as BatchRow), id }));
      },
      visibilityOf: async () => visibility,
      unsupported: { has: async () => true },
    });
    const share = (): void => {
      visibility = 'shared';
    };
    return { renderBatch, reads, share };
  }

  it('are read once for its message and the file in its thread', async () => {
    const { renderBatch, reads } = world();
    const alertIds = (await renderBatch.render(entries, 'C1'))?.batch.alerts.map(({ id }) => id) ?? [];

    const rows = await renderBatch.rowsOfSummary(alertIds, 'C1');

    expect(rows.map(({ id }) => id)).toEqual(alertIds);
    expect(reads).toEqual(['40 for private']);
  });

  it('are read again after its channel was shared with another company', async () => {
    const { renderBatch, reads, share } = world();
    const alertIds = (await renderBatch.render(entries, 'C1'))?.batch.alerts.map(({ id }) => id) ?? [];
    share();

    await renderBatch.rowsOfSummary(alertIds, 'C1');

    expect(reads).toEqual(['40 for private', '40 for shared']);
  });

  it('are read again for another channel, and when the file is made again', async () => {
    const { renderBatch, reads } = world();
    const alertIds = (await renderBatch.render(entries, 'C1'))?.batch.alerts.map(({ id }) => id) ?? [];

    for (const channel of ['C2', 'C1', 'C1']) await renderBatch.rowsOfSummary(alertIds, channel);

    expect(reads).toEqual(['40 for private', '40 for private', '40 for private']);
  });
});
