import type { Queue } from 'bullmq';
import type { z } from 'zod';
import type { HomeOpened } from '../app-home/opened.ts';
import type { OutboxEntry } from '../outbox/entry.ts';
import type { Subject } from '../outbox/tracked-message-store.ts';
import { backoff, keepFailedOnly } from './jobs.ts';

/** What brings a message, a person's messages or App Home up to date. */
export interface UpdateJobs {
  /** Updates the messages of a subject, once for any number of changes in between. */
  updateMessages(subject: Subject): Promise<void>;
  /** Adds the numbers of a limit to an alert that went out without them. */
  enrichAlert(alertId: string, delayMs: number): Promise<void>;
  /** Brings an entry into a person's direct messages, once by the entry's id. */
  notifyPerson(userId: string, entry: z.input<typeof OutboxEntry>): Promise<void>;
  /** Somebody looks at App Home, or may do other things than before. */
  openHome(opened: HomeOpened): Promise<void>;
  /** Draws App Home for one person, once for any number of changes in between. */
  renderHome(userId: string): Promise<void>;
  /** Draws it for everybody who opened it lately, after `ms`: once for all that happens until then. */
  renderHomes(ms: number): Promise<void>;
}

/** Producer side of the updates queue. */
export function createUpdateJobs(queue: Queue): UpdateJobs {
  return {
    async updateMessages({ kind, id }) {
      const deduplication = { id: `${kind}-${id}`, keepLastIfActive: true };
      await queue.add('update-messages', { kind, id }, { ...keepFailedOnly, attempts: 10, backoff, deduplication });
    },
    async enrichAlert(alertId, delay) {
      await queue.add(
        'enrich-alert',
        { alertId },
        { ...keepFailedOnly, jobId: `enrich-${alertId}`, delay, attempts: 3, backoff },
      );
    },
    async notifyPerson(userId, entry) {
      const options = { ...keepFailedOnly, jobId: `person-${userId}-${entry.id}`, attempts: 12, backoff };
      await queue.add('tell-person', { userId, entry }, options);
    },
    async openHome(opened) {
      await queue.add('open-home', opened, { ...keepFailedOnly, jobId: opened.id, attempts: 3, backoff });
    },
    async renderHome(userId) {
      const deduplication = { id: `home-${userId}`, keepLastIfActive: true };
      await queue.add('draw-home', { userId }, { ...keepFailedOnly, attempts: 3, backoff, deduplication });
    },
    async renderHomes(ms) {
      const options = { ...keepFailedOnly, removeOnFail: true, delay: ms, attempts: 3, backoff };
      await queue.add('draw-homes', {}, { ...options, deduplication: { id: 'homes', keepLastIfActive: true } });
    },
  };
}
