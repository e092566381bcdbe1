import { auditLine } from '../../templates/audit/audit-line.ts';
import { digestOff, digestSet } from '../../templates/digests/digest-set.ts';
import type { Action } from '../actions/action.ts';
import type { ActionDeps } from '../actions/deps.ts';
import { auditRecord } from '../actions/report.ts';
import { mayGetAlerts } from '../routing/channel-of-action.ts';
import { type DigestInput, readDigest } from './digest-command.ts';
import type { DigestKind, Digests } from './digest-store.ts';
import { type DigestSchedule, nextDue } from './schedule.ts';

/** What setting a digest needs. */
export interface DigestDeps {
  readonly digests: Digests;
  /** Rings from now on. Replaces the channel's timer of the same kind. */
  readonly schedule: (schedule: DigestSchedule) => Promise<void>;
  readonly unschedule: (channel: string, kind: DigestKind) => Promise<void>;
  /** One right now, up to this moment; the id makes repeating it nothing. */
  readonly postNow: (channel: string, id: string) => Promise<void>;
  /** Where nobody names a zone. */
  readonly serviceZone: string;
}

const weekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'] as const;

/** When this channel gets its digest: set, ended, or one right now. Safe to repeat. */
export async function setDigest(action: Action, deps: ActionDeps): Promise<void> {
  const { channel } = action.origin;
  const { digest } = deps;
  const changeRequest = action.target.kind === 'place' ? readDigest(action.target.text.split(' ')) : '';
  if (typeof changeRequest === 'string') throw new Error('a digest action without a wish');
  // Ended it can be from anywhere, also after Cardbell was sent away.
  if (changeRequest.kind !== 'off' && !(await mayGetAlerts(action, deps, 'A digest here'))) return;
  if (changeRequest.kind === 'now') return await digest.postNow(channel, action.id);

  await deps.withLock(`digest:${channel}`, async () => {
    const before = await digest.digests.ofChannel(channel);
    const schedule = changeRequest.kind === 'at' ? toSchedule(changeRequest, action, deps) : null;
    if ((await deps.progress.read(action.id)) === null) {
      const sides = {
        before: before.map(wordsOf).join('; ') || 'none',
        after: schedule === null ? 'none' : wordsOf(schedule),
      };
      await deps.audit.append(auditRecord(action, 'done', { acctId: null, cardId: null, ...sides }, deps));
      await deps.progress.write(action.id, { state: 'asked' });
      await notifyAudit(action, sides, deps);
    }
    if (schedule !== null) {
      await digest.digests.set(schedule);
      await digest.schedule(schedule);
      const next = new Date(nextDue(schedule, deps.now())).toISOString();
      return await deps.answer(action, digestSet({ ...schedule, next }));
    }
    for (const kind of ['daily', 'weekly'] as const) {
      await digest.unschedule(channel, kind);
      await digest.digests.remove(channel, kind);
    }
    await deps.answer(action, digestOff());
  });
}

type At = Extract<DigestInput, { kind: 'at' }>;

function toSchedule({ weekday, hour, minute, zone }: At, action: Action, deps: ActionDeps): DigestSchedule {
  return {
    channel: action.origin.channel,
    weekday,
    hour,
    minute,
    zone: zone ?? deps.digest.serviceZone,
    by: action.actor.userId,
    at: deps.now().toISOString(),
  };
}

function wordsOf({ weekday, hour, minute, zone }: DigestSchedule): string {
  const day = weekday === null ? 'daily' : `weekly on ${weekdays[weekday] ?? ''}`;
  return `digest ${day} at ${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')} ${zone}`;
}

async function notifyAudit(action: Action, sides: { before: string; after: string }, deps: ActionDeps): Promise<void> {
  const line = auditLine({
    by: action.actor.userId,
    did: 'set the digest of a channel',
    card: null,
    at: deps.now().toISOString(),
    ...sides,
    reason: null,
    outcome: '',
    ref: action.id.slice(-8),
  });
  await deps.postAuditLine(`audit-${action.id}-digest`, line);
}
