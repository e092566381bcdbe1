import { describe, expect, it } from 'vitest';
import type { ChannelVisibility } from '../../../src/core/channel-visibility.ts';
import { OutboxEntry } from '../../../src/outbox/entry.ts';
import { createRenderBatch } from '../../../src/outbox/render-entries.ts';
import type { BatchRow } from '../../../templates/outbox/batch-row.ts';
import { batchRows, transactionAlert } from '../../templates/fixtures.ts';

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
