import { batchForm, batchMessage } from '../../templates/outbox/batch.ts';
import { type BatchRow, rowLabel } from '../../templates/outbox/batch-row.ts';
import type { Message } from '../slack/message.ts';
import type { Batch } from './batch-store.ts';
import type { NewBlock } from './draft.ts';
import type { TrackedEntry } from './entry.ts';
import type { UnsupportedBlocks } from './unsupported-blocks-store.ts';

/** Rows of alerts as a channel may see them, in the order given; alerts that are unknown or too old are left out. */
export type RowsOf = (alertIds: readonly string[], channel: string) => Promise<BatchRow[]>;

interface Deps {
  readonly rowsOf: RowsOf;
  readonly unsupported: Pick<UnsupportedBlocks, 'has'>;
}

export interface RenderedBatch {
  readonly message: Message;
  readonly batch: Batch;
  readonly newBlocks: readonly NewBlock[];
}

export interface RenderBatch {
  /** Null when none of the alerts is known any more. */
  render(entries: readonly TrackedEntry[], channel: string): Promise<RenderedBatch | null>;
  /** A batch that was posted, with what is known by now. It keeps its form. */
  update(batch: Batch, channel: string): Promise<Message>;
}

/** Messages that show several alerts: how they look when they are posted, and ever after. */
export function createRenderBatch({ rowsOf, unsupported }: Deps): RenderBatch {
  return {
    async render(entries, channel) {
      const [first] = entries;
      const rows = await rowsOf(
        entries.map(({ subject }) => subject.id),
        channel,
      );
      if (first === undefined || rows.length === 0) return null;
      const [hasTable, hasChart] = [!(await unsupported.has('table')), !(await unsupported.has('chart'))];
      const form = batchForm(rows, { hasTable });
      const why = reasonOf(first);
      const alerts = rows.map((row) => ({ id: row.id, label: rowLabel(row) }));
      return {
        message: batchMessage({ rows, why, form, hasChart }),
        batch: { why, audience: first.audience, form, alerts },
        newBlocks: form === 'table' ? ['table'] : form === 'summary' && hasChart ? ['chart'] : [],
      };
    },

    async update({ alerts, why, form }, channel) {
      const rows = await rowsOf(
        alerts.map(({ id }) => id),
        channel,
      );
      return batchMessage({ rows, why, form, hasChart: !(await unsupported.has('chart')) });
    },
  };
}

function reasonOf({ late, notBefore, priority }: TrackedEntry): Batch['why'] {
  if (late) return 'late';
  if (notBefore !== null) return 'held';
  return priority === 'fraud' ? 'fraud' : 'busy';
}
