import { z } from 'zod';
import { batchForm, batchMessage, batchRows } from '../../templates/outbox/batch.ts';
import { type BatchRow, rowLabel } from '../../templates/outbox/batch-row.ts';
import type { Alert } from '../alerts/alert.ts';
import type { Alerts } from '../alerts/alert-store.ts';
import type { ChannelVisibility } from '../core/channel-visibility.ts';
import * as opsIssue from '../ops/issue.ts';
import type { NotifyOps } from '../ops/notify-ops.ts';
import type { NewBlock } from '../slack/draft.ts';
import type { Message } from '../slack/message.ts';
import type { Batch } from './batch-store.ts';
import type { OutboxEntry } from './entry.ts';
import type { UnsupportedBlocks } from './unsupported-blocks-store.ts';

/** So many alerts are read at once: a flood must not stand in the way of everything else that Redis is asked. */
const READ_AT_ONCE = 200;

type AlertEntry = Extract<OutboxEntry, { kind: 'alert' }>;

interface Deps {
  readonly alerts: Pick<Alerts, 'get'>;
  readonly unsupported: UnsupportedBlocks;
  readonly visibilityOf: (channel: string) => Promise<ChannelVisibility>;
  readonly notifyOps: NotifyOps;
}

export interface RenderedBatch {
  readonly message: Message;
  readonly batch: Batch;
  /** Of each alert, how often its messages had been brought up to date. */
  readonly edits: ReadonlyMap<string, number>;
  readonly newBlocks: readonly NewBlock[];
}

/** A stored shape that does not parse, or a template that stumbles over it; not Redis or Slack being away. */
export function isFaultOfOurs(error: unknown): boolean {
  return error instanceof z.ZodError || error instanceof SyntaxError || error instanceof TypeError;
}

/** Messages that show several alerts: how they look when they are posted, and ever after. */
export function createRenderBatch({ alerts, unsupported, visibilityOf, notifyOps }: Deps) {
  return {
    /** Null when none of the alerts is known any more. */
    async render(entries: readonly AlertEntry[], channel: string): Promise<RenderedBatch | null> {
      const [first] = entries;
      const edits = new Map<string, number>();
      const rows = await rowsOf(
        entries.map(({ alertId }) => alertId),
        channel,
        edits,
      );
      if (first === undefined || rows.length === 0) return null;
      const [hasTable, hasChart] = [!(await unsupported.has('table')), !(await unsupported.has('chart'))];
      const form = batchForm(rows, { hasTable });
      const why = reasonOf(first);
      return {
        message: batchMessage({ rows, why, form, hasChart }),
        batch: {
          why,
          audience: first.audience,
          form,
          alerts: rows.map((row) => ({ id: row.id, label: rowLabel(row) })),
        },
        edits,
        newBlocks: form === 'table' ? ['table'] : form === 'summary' && hasChart ? ['chart'] : [],
      };
    },

    /** The same message with what is known by now. */
    async redraw(batch: Batch, channel: string): Promise<Message> {
      const rows = await rowsOf(
        batch.alerts.map(({ id }) => id),
        channel,
      );
      return batchMessage({ rows, why: batch.why, form: batch.form, hasChart: !(await unsupported.has('chart')) });
    },

    rowsOf: (alertIds: readonly string[], channel: string) => rowsOf(alertIds, channel),
  };

  /** Rows of alerts as they may be shown in a channel, in the order given; what is not known any more is left out. Notes their edits. */
  async function rowsOf(
    alertIds: readonly string[],
    channel: string,
    edits: Map<string, number> = new Map(),
  ): Promise<BatchRow[]> {
    const view = { place: await visibilityOf(channel), channel };
    const rows: BatchRow[] = [];
    for (let at = 0; at < alertIds.length; at += READ_AT_ONCE) {
      const read = await Promise.all(
        alertIds.slice(at, at + READ_AT_ONCE).map(async (id) => ({ id, alert: await alertOf(id, edits) })),
      );
      for (const { id, alert } of read) {
        if (alert === 'unreadable') rows.push(unreadableRow(id));
        else if (alert !== null) rows.push(...batchRows([alert], view));
      }
    }
    return rows;
  }

  async function alertOf(id: string, edits: Map<string, number>): Promise<Alert | null | 'unreadable'> {
    try {
      const stored = await alerts.get(id);
      if (stored !== null) edits.set(id, stored.edits);
      return stored?.alert ?? null;
    } catch (error) {
      if (!isFaultOfOurs(error)) throw error;
      // Kept by another version: it must not hold back the others.
      await notifyOps(opsIssue.cannotRender(id));
      return 'unreadable';
    }
  }
}

function reasonOf({ late, notBefore, urgency }: AlertEntry): Batch['why'] {
  if (late) return 'late';
  if (notBefore !== null) return 'held';
  return urgency === 'fraud' ? 'fraud' : 'busy';
}

function unreadableRow(id: string): BatchRow {
  return {
    id,
    kind: 'decline',
    what: 'Alert',
    who: 'Could not be shown',
    last4: '',
    cents: null,
    merchant: '',
    place: '',
    why: `Kept as ${id}`,
    times: 1,
    code: '',
    at: '',
    done: null,
  };
}
