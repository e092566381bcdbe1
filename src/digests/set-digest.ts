import { settingSetSince } from '../../templates/actions/setting-words.ts';
import { digestOff, digestPartlyOff, digestSet } from '../../templates/digests/digest-set.ts';
import type { Action } from '../actions/action.ts';
import type { ActionTools, Responses } from '../actions/action-tools.ts';
import { aboutOther, setSince, setTo } from '../actions/record.ts';
import type { MayGetAlerts } from '../routing/channel-access.ts';
import {
  type DigestKind,
  type DigestSchedule,
  type Digests,
  digestKinds,
  kindOf,
  nextDue,
  scheduleId,
  scheduleWords,
} from './schedule-store.ts';
import type { DigestNow, RecordDigest } from './send-digest.ts';
import type { ShownDeclines } from './shown-declines.ts';
import type { DigestAction, DigestInput } from './verbs.ts';

interface Deps extends Pick<ActionTools, 'record' | 'zone'> {
  /** Posts a digest until now, once per id and once it is recorded. */
  readonly postDigest: (channel: string, id: string, asked: DigestNow, recorded: RecordDigest) => Promise<void>;
  readonly mayGetAlerts: MayGetAlerts;
  readonly changeSchedule: ReturnType<typeof createChangeSchedule>;
}

/** `/card digest …`: sets or ends a channel's digest, or posts one now. Idempotent. */
export function createSetDigest({ record, zone, postDigest, mayGetAlerts, changeSchedule }: Deps) {
  return async function setDigest(action: DigestAction): Promise<void> {
    const { wanted } = action;
    // A digest can be ended even after Cardbell was removed from the channel.
    if (wanted.kind !== 'off' && !(await mayGetAlerts(action))) return;
    if (wanted.kind !== 'now') return await changeSchedule(action, wanted);
    const { channel } = action.origin;
    const line = { did: 'posted a digest in', channel };
    await postDigest(channel, action.id, { of: wanted.of, zone }, (detail) =>
      record(action, { event: 'done', begins: true, detail, line }),
    );
  };
}

interface ScheduleDeps extends Pick<ActionTools, 'record' | 'hasBegun' | 'setInOrder' | 'zone' | 'now'> {
  readonly responses: Pick<Responses, 'answer'>;
  readonly digests: Pick<Digests, 'set' | 'ofChannel' | 'remove'>;
  readonly shownDeclines: Pick<ShownDeclines, 'lastShown'>;
}

/** Sets or ends the regular digests of a channel, those of each kind in the order in which people ask. Idempotent. */
export function createChangeSchedule(deps: ScheduleDeps) {
  const { digests, zone, responses, record, now } = deps;

  return async function changeSchedule(action: Action, wanted: Exclude<DigestInput, { kind: 'now' }>): Promise<void> {
    const { channel: named, of } = wanted.kind === 'off' ? wanted : {};
    const channel = named ?? action.origin.channel;
    const one = wanted.kind === 'off' ? of : kindOf(wanted);
    const kinds = one === undefined ? digestKinds : [one];
    const set = async (_lease: unknown, newest: readonly DigestKind[]): Promise<void> => {
      const current = await digests.ofChannel(channel);
      const schedule = wanted.kind === 'at' ? toSchedule(wanted, action, current) : null;
      const ending = current.filter((one) => newest.includes(kindOf(one)));
      const before = ending.map(scheduleWords).join('; ') || 'none';
      const after = schedule === null ? 'none' : scheduleWords(schedule);
      const isRecorded = await deps.hasBegun(action);
      // Recorded first: after a crash the digests are gone, and only the record shows that they were ended.
      const line = { did: 'set the digest of', channel };
      await record(action, { ...setTo(before, after, line), ...aboutOther(channel, action) });
      if (schedule !== null) {
        await digests.set(schedule);
        const shown = await deps.shownDeclines.lastShown(scheduleId(channel, kindOf(schedule)));
        const next = new Date(nextDue(schedule, now(), shown?.toMs ?? 0)).toISOString();
        return await responses.answer(action, digestSet({ ...schedule, next }));
      }
      for (const kind of newest) await digests.remove(channel, kind);
      const left = current.map(kindOf).filter((kind) => !newest.includes(kind));
      const stay = left.filter((kind) => kinds.includes(kind));
      if (stay.length === 0) {
        const ended = isRecorded ? null : ending.map(kindOf);
        return await responses.answer(action, digestOff(ended, { named, of, left }));
      }
      if (!isRecorded) await record(action, { ...setSince, detail: `${stay.join(', ')}: ${setSince.detail}` });
      // After a crash, which of them ended is not known any more.
      const isKnown = !isRecorded && ending.length > 0;
      await responses.answer(action, isKnown ? digestPartlyOff(ending.map(kindOf), stay) : settingSetSince());
    };
    await deps.setInOrder(`digest:${channel}`, action, set, kinds);
  };

  function toSchedule(
    { kind: _kind, ...when }: Extract<DigestInput, { kind: 'at' }>,
    action: Action,
    current: readonly DigestSchedule[],
  ): DigestSchedule {
    const replaced = current.find((one) => kindOf(one) === kindOf(when));
    const schedule = {
      ...when,
      channel: action.origin.channel,
      zone: when.zone ?? zone,
      by: action.actor.userId,
      at: now().toISOString(),
      startedAt: replaced?.startedAt ?? replaced?.at,
    };
    // Unchanged, it does not skip the digest that is due.
    return replaced !== undefined && scheduleWords(replaced) === scheduleWords(schedule) ? replaced : schedule;
  }
}
