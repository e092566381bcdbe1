import { alertLengthSet, quietEnded, quietSet } from '../../templates/routing/channel-settings.ts';
import type { Action } from '../actions/action.ts';
import type { ActionTools, Responses } from '../actions/action-tools.ts';
import { setTo } from '../actions/record.ts';
import type { MayGetAlerts } from './channel-access.ts';
import type { LongAlerts, QuietHours, QuietHoursStore } from './channel-rules-store.ts';
import { describeFilter } from './describe-filter.ts';
import { type Filter, printFilter } from './filter.ts';
import { parseUseful, type UnknownName, unknownNames, whySensitive } from './never-matches.ts';
import { parseQuiet, printQuiet, quietUntil, quietWords } from './quiet-hours.ts';
import { type AlertLengthAction, type ChannelAction, quietUsage } from './verbs.ts';

interface Deps extends Pick<ActionTools, 'zone'> {
  readonly responses: Pick<Responses, 'refuse' | 'refuseUnclear'>;
  /** The groups that contain at least one card. */
  readonly groups: () => Promise<readonly string[]>;
  readonly mayGetAlerts: MayGetAlerts;
  readonly changeQuiet: ReturnType<typeof createChangeQuiet>;
}

/** `/card quiet …`: holds alerts during these hours, and posts them together when the hours end. */
export function createSetQuiet({ zone, responses, groups, mayGetAlerts, changeQuiet }: Deps) {
  return async function setQuiet(action: ChannelAction): Promise<void> {
    const typed = parseQuiet(action.target.text, zone);
    if (typed.kind === 'unclear') return await responses.refuseUnclear(action, { why: typed.why, usage: quietUsage });
    if (typed.kind === 'off') return await changeQuiet.end(action);
    const parsed = typed.except === null ? null : parseUseful(typed.except);
    if (parsed !== null && 'why' in parsed)
      return await responses.refuseUnclear(action, { why: parsed.why, usage: quietUsage });
    const filter = parsed?.filter ?? null;
    const sensitive = filter === null ? null : whySensitive(filter);
    if (sensitive !== null) {
      const whoCan = 'Let declines through instead: except declines.';
      return await responses.refuse(action, { why: sensitive, whoCan });
    }
    if (!(await mayGetAlerts(action))) return;
    const unknown = filter === null ? [] : unknownNames(filter, await groups());
    await changeQuiet.set(action, { window: typed.window, filter, unknown });
  };
}

interface Wanted {
  readonly window: QuietHours['window'];
  /** What is exempt; null: nothing. */
  readonly filter: Filter | null;
  /** Names in the filter that no card has. */
  readonly unknown: readonly UnknownName[];
}

interface ChangeDeps extends Pick<ActionTools, 'record' | 'hasBegun' | 'setInOrder' | 'now'> {
  readonly responses: Pick<Responses, 'answer'>;
  readonly quietHours: QuietHoursStore;
  /** Applies the channel's quiet hours to the alerts it already holds. @returns how many need not wait any longer. */
  readonly holdAsQuiet: (channel: string) => Promise<number>;
}

/**
 * Sets and ends the quiet hours of a channel, in the order in which people ask: only the first of two who end them has ended
 * them.
 */
export function createChangeQuiet(deps: ChangeDeps) {
  const { quietHours, holdAsQuiet, responses, record, hasBegun, setInOrder, now } = deps;
  const inOrder = (action: Action, work: () => Promise<void>): Promise<void> =>
    setInOrder(`quiet:${action.origin.channel}`, action, work);
  return {
    end: (action: Action): Promise<void> => inOrder(action, () => end(action)),
    set: (action: Action, wanted: Wanted): Promise<void> => inOrder(action, () => set(action, wanted)),
  };

  async function wordsBefore(channel: string): Promise<string | null> {
    const hours = await quietHours.get(channel);
    return hours === null ? null : hoursOnRecord(hours);
  }

  async function end(action: Action): Promise<void> {
    const { channel } = action.origin;
    const before = await wordsBefore(channel);
    const isRecorded = await hasBegun(action);
    // Recorded first: after a crash the hours are gone, and only the record shows who ended them.
    await record(action, setTo(before, null, { did: 'ended the quiet hours of', channel }));
    await quietHours.remove(channel);
    const released = await holdAsQuiet(channel);
    await responses.answer(action, quietEnded({ wasSet: before !== null || isRecorded, released }));
  }

  async function set(action: Action, { window, filter, unknown }: Wanted): Promise<void> {
    const { channel } = action.origin;
    const except = filter === null ? null : printFilter(filter);
    // Recorded first: after a crash the new hours are already set, and the previous ones are lost.
    const line = { did: 'set the quiet hours of', channel };
    await record(action, setTo(await wordsBefore(channel), hoursOnRecord({ window, except }), line));
    // When they begin to apply, which may be long after somebody asked: what was held before is looked through.
    await quietHours.set({ channel, window, except, by: action.actor.userId, at: now().toISOString() });
    const until = quietUntil(window, now().getTime());
    const released = await holdAsQuiet(channel);
    const untilText = until === null ? null : new Date(until).toISOString();
    const exceptWords = filter === null ? null : describeFilter(filter);
    const words = quietWords(window);
    await responses.answer(action, quietSet({ words, except: exceptWords, unknown, until: untilText, released }));
  }
}

/** `22:00-07:00 UTC, daily, except declines over $500.00`. */
function hoursOnRecord({ window, except }: Pick<QuietHours, 'window' | 'except'>): string {
  return `${printQuiet(window)}${except === null ? '' : `, except ${except}`}`;
}

interface AlertLengthDeps extends Pick<ActionTools, 'record' | 'setInOrder'> {
  readonly responses: Pick<Responses, 'answer'>;
  readonly longAlerts: LongAlerts;
}

/** `/card alerts long|short`: sets the length of this channel's alerts. Idempotent. */
export function createSetAlertLength({ longAlerts, responses, record, setInOrder }: AlertLengthDeps) {
  return async function setAlertLength(action: AlertLengthAction): Promise<void> {
    const { channel } = action.origin;
    const { isLong } = action;
    const words = (is: boolean): string => (is ? 'long alerts' : 'short alerts');
    const line = { did: 'changed how alerts look in', channel };
    await setInOrder(`alert-length:${channel}`, action, async () => {
      await record(action, setTo(words(await longAlerts.has(channel)), words(isLong), line));
      await longAlerts.set(channel, isLong);
      await responses.answer(action, alertLengthSet({ isLong }));
    });
  };
}
