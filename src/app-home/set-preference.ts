import { ownDigestSet, preferenceSet, quietHoursSet } from '../../templates/app-home/preferences.ts';
import type { ActionTools, Responses } from '../actions/action-tools.ts';
import { setTo } from '../actions/record.ts';
import type { Links } from '../holders/link-store.ts';
import type { DirectKind, Preferences } from '../holders/preference-store.ts';
import type { QuietHours, QuietHoursStore } from '../routing/channel-rules-store.ts';
import { parseQuiet, printQuiet, quietWords } from '../routing/quiet-hours.ts';
import type { PreferenceAction } from './verbs.ts';

interface Deps extends Pick<ActionTools, 'record' | 'setInOrder'> {
  readonly responses: Pick<Responses, 'answer'>;
  readonly preferences: Pick<Preferences, 'isOn' | 'set' | 'ownDigest' | 'setOwnDigest'>;
  readonly links: Pick<Links, 'ofUser'>;
  readonly setOwnQuiet: ReturnType<typeof createSetOwnQuiet>;
}

/** Sets which direct messages someone gets, and when. People can only change their own. Idempotent. */
export function createSetPreference({ preferences, links, setOwnQuiet, setInOrder, responses, record }: Deps) {
  const hasCard = async (userId: string): Promise<boolean> => (await links.ofUser(userId)).length > 0;

  return async function setPreference(action: PreferenceAction): Promise<void> {
    const { preference } = action;
    if (preference.kind === 'quiet') return await setOwnQuiet(action, preference.hours);
    const { userId } = action.actor;
    if (preference.kind === 'digest') {
      const { often } = preference;
      return await setInOrder(`preference:${userId}:digest`, action, () => setDigest(action, often));
    }
    const { what, isOn } = preference;
    await setInOrder(`preference:${userId}:${what}`, action, () => setMessages(action, what, isOn));
  };

  async function setMessages(action: PreferenceAction, what: DirectKind, isOn: boolean): Promise<void> {
    const { userId } = action.actor;
    const words = (is: boolean): string => `${what} ${is ? 'on' : 'off'}`;
    const before = words(await preferences.isOn(userId, what));
    await record(action, setTo(before, words(isOn)));
    await preferences.set(userId, what, isOn);
    await responses.answer(action, preferenceSet({ what, isOn, hasCard: await hasCard(userId) }));
  }

  async function setDigest(action: PreferenceAction, often: 'daily' | 'weekly' | 'off'): Promise<void> {
    const { userId } = action.actor;
    const replaced = await preferences.ownDigest(userId);
    const before = `digest ${replaced?.often ?? 'off'}`;
    await record(action, setTo(before, `digest ${often}`));
    const startedAt = replaced?.startedAt ?? replaced?.since;
    const since = replaced?.often === often ? replaced.since : action.askedAt;
    await preferences.setOwnDigest(userId, often === 'off' ? null : { often, since, startedAt });
    await responses.answer(action, ownDigestSet({ often, hasCard: await hasCard(userId) }));
  }
}

interface QuietDeps extends Pick<ActionTools, 'record' | 'setInOrder' | 'openDirect' | 'zone'> {
  readonly responses: Pick<Responses, 'answer' | 'refuseUnclear'>;
  readonly quietHours: Pick<QuietHoursStore, 'get' | 'set' | 'remove'>;
  /** Applies the quiet hours to messages that are already held. */
  readonly holdAsQuiet: (channel: string) => Promise<number>;
}

/** Sets when someone gets no direct messages. Idempotent. */
export function createSetOwnQuiet(deps: QuietDeps) {
  const { quietHours, responses, record } = deps;
  return async function setOwnQuiet(action: PreferenceAction, hours: string): Promise<void> {
    const parsed = parseQuiet(hours, deps.zone);
    const why = parsed.kind === 'unclear' ? parsed.why : exceptIn(parsed);
    if (why !== null)
      return await responses.refuseUnclear(action, {
        why,
        usage: 'notify quiet 22:00-07:00 [Europe/Berlin] [weekdays] | off',
      });
    const channel = await deps.openDirect(action.actor.userId);
    const window = parsed.kind === 'hours' ? parsed.window : null;
    await deps.setInOrder(`quiet:${channel}`, action, () => set(action, channel, window));
  };

  async function set(action: PreferenceAction, channel: string, window: QuietHours['window'] | null): Promise<void> {
    const current = await quietHours.get(channel);
    const before = current === null ? null : printQuiet(current.window);
    const after = window === null ? null : printQuiet(window);
    await record(action, setTo(before, after));
    if (window === null) await quietHours.remove(channel);
    else await quietHours.set({ channel, window, except: null, by: action.actor.userId, at: action.askedAt });
    await deps.holdAsQuiet(channel);
    await responses.answer(action, quietHoursSet({ words: window === null ? null : quietWords(window) }));
  }
}

function exceptIn(parsed: ReturnType<typeof parseQuiet>): string | null {
  const hasExcept = parsed.kind === 'hours' && parsed.except !== null;
  return hasExcept ? 'Your own quiet hours have no exceptions: suspected fraud always comes at once.' : null;
}
