import { UnreadableError } from '../core/errors.ts';
import { gapOf } from '../core/gap.ts';
import type { Action } from '../dispatch/verbs.ts';
import type { InboxEntry } from '../intake/intake.ts';
import type { Enqueue } from './enqueue.ts';

/**
 * Each entry of the inbox becomes a job. One of a kind that only a newer version knows becomes a job of its own, which
 * fails until such a version gets it, and holds up no other.
 *
 * @param isAside it is that job.
 */
export async function toJob(entry: InboxEntry, enqueue: Enqueue, isAside = false): Promise<void> {
  switch (entry.type) {
    case 'event':
      return await enqueue(entry.isLate === true ? 'deliver-late-alert' : 'deliver-alert', entry.event);
    case 'quarantine':
      return await enqueue('quarantine-webhook', entry.webhook);
    case 'gap':
      return await enqueue('recover-gap', gapOf(entry.fromMs, entry.toMs, entry.cause));
    case 'home':
      return await enqueue('open-home', entry.opened);
    case 'action':
      // Its signature is checked when it is performed: whoever can write here can also write to the queue.
      return await enqueue('perform-action', { action: entry.action as Action, signature: entry.signature });
    case 'refused':
      return await enqueue('record-refusal', { action: entry.action, why: entry.why, signature: entry.signature });
    default:
      if (isAside) throw new UnreadableError('an entry of the inbox');
      return await enqueue('hand-on-entry', { entry });
  }
}
