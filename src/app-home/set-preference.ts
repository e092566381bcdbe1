import { ownDigestSet, preferenceSet, quietHoursSet } from '../../templates/app-home/preferences.ts';
import type { ActionTools } from '../actions/action-tools.ts';
import type { Preferences } from '../holders/preference-store.ts';
import type { QuietHoursStore } from '../routing/channel-rules-store.ts';
import { parseQuiet, printQuiet } from '../routing/quiet-hours.ts';
import type { PreferenceAction } from './verbs.ts';

interface Deps {
  readonly preferences: Pick<Preferences, 'isOn' | 'set' | 'ownDigest' | 'setOwnDigest'>;
  readonly quietHours: Pick<QuietHoursStore, 'get' | 'set' | 'remove'>;
  /** The direct conversation with a person: their own quiet hours are those of this conversation. */
  readonly openDirect: (userId: string) => Promise<string>;
  /** Applies the quiet hours to what is held already. */
  readonly holdAsQuiet: (channel: string) => Promise<number>;
  readonly reply: Pick<ActionTools, 'answer' | 'record' | 'refuseUnclear'>;
  /** IANA name of the default time zone. */
  readonly zone: string;
}

/** What somebody gets in direct messages, and when: always their own. Safe to repeat. */
export function createSetPreference(deps: Deps) {
  const { preferences, quietHours, reply } = deps;

  return async function setPreference(action: PreferenceAction): Promise<void> {
    const { preference } = action;
    if (preference.kind === 'quiet') return await setQuiet(action, preference.hours);
    if (preference.kind === 'digest') return await setDigest(action, preference.often);
    const { what, isOn } = preference;
    const { userId } = action.actor;
    const words = (is: boolean): string => `${what} ${is ? 'on' : 'off'}`;
    const before = words(await preferences.isOn(userId, what));
    await reply.record(action, { event: 'done', isFirst: true, before, after: words(isOn) });
    await preferences.set(userId, what, isOn);
    await reply.answer(action, preferenceSet({ what, isOn }));
  };

  async function setDigest(action: PreferenceAction, often: 'daily' | 'weekly' | 'off'): Promise<void> {
    const { userId } = action.actor;
    const before = `digest ${(await preferences.ownDigest(userId))?.often ?? 'off'}`;
    await reply.record(action, { event: 'done', isFirst: true, before, after: `digest ${often}` });
    await preferences.setOwnDigest(userId, often === 'off' ? null : { often, since: action.askedAt });
    await reply.answer(action, ownDigestSet(often));
  }

  async function setQuiet(action: PreferenceAction, hours: string): Promise<void> {
    const parsed = parseQuiet(hours, deps.zone);
    const why = parsed.kind === 'unclear' ? parsed.why : exceptIn(parsed);
    if (why !== null)
      return await reply.refuseUnclear(action, {
        why,
        usage: 'notify quiet 22:00-07:00 [Europe/Berlin] [weekdays] | off',
      });
    const channel = await deps.openDirect(action.actor.userId);
    const set = await quietHours.get(channel);
    const before = set === null ? null : printQuiet(set.window);
    const window = parsed.kind === 'hours' ? parsed.window : null;
    const after = window === null ? null : printQuiet(window);
    await reply.record(action, { event: 'done', isFirst: true, before, after });
    if (window === null) await quietHours.remove(channel);
    else await quietHours.set({ channel, window, except: null, by: action.actor.userId, at: action.askedAt });
    await deps.holdAsQuiet(channel);
    await reply.answer(action, quietHoursSet({ words: after }));
  }
}

function exceptIn(parsed: ReturnType<typeof parseQuiet>): string | null {
  const hasExcept = parsed.kind === 'hours' && parsed.except !== null;
  return hasExcept ? 'Your own quiet hours have no exceptions: suspected fraud always comes at once.' : null;
}
