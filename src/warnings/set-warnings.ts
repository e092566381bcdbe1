import {
  LOW_BALANCE_OFF,
  type WarningChannels,
  warningsElsewhere,
  warningsSet,
} from '../../templates/warnings/warnings.ts';
import type { ActionTools, Responses } from '../actions/action-tools.ts';
import { setTo } from '../actions/record.ts';
import type { ChannelKind, Preferences } from '../holders/preference-store.ts';
import type { WarningsAction } from './verbs.ts';

interface Deps extends Pick<ActionTools, 'record' | 'setInOrder'> {
  readonly responses: Pick<Responses, 'answer' | 'refuse'>;
  readonly preferences: Pick<Preferences, 'set' | 'switchedOff'>;
  readonly warningChannels: WarningChannels;
  /** False: the configuration turns warnings of a low balance off. They can still be switched off here, for later. */
  readonly isBalanceWatched: boolean;
}

/** `/card warnings on|off`: sets which of its warnings this channel gets. Idempotent. */
export function createSetWarnings(deps: Deps) {
  const { preferences, warningChannels, isBalanceWatched, responses, record, setInOrder } = deps;
  return async function setWarnings(action: WarningsAction): Promise<void> {
    const { channel } = action.origin;
    const isInVain = (kind: ChannelKind): boolean => action.isOn && kind === 'low-balance' && !isBalanceWatched;
    const wanted = action.kinds.filter((kind) => !isInVain(kind));
    const off = action.kinds.some(isInVain) ? LOW_BALANCE_OFF : '';
    if (wanted.length === 0) return await responses.refuse(action, { why: off, whoCan: 'Ask whoever runs Cardbell.' });
    const kinds = wanted.filter((kind) => warningChannels[kind] === channel);
    if (kinds.length === 0) {
      const channels = [...new Set(wanted.map((kind) => warningChannels[kind]))];
      const why = `This channel gets none of them. ${off}`.trim();
      return await responses.refuse(action, { why, whoCan: { text: 'Write the command in', channels } });
    }
    const others = wanted.filter((kind) => !kinds.includes(kind));
    const elsewhere = [warningsElsewhere(others, warningChannels), off].filter(Boolean).join(' ');
    await setInOrder(`warnings:${channel}`, action, (_lease, newest) => set(action, newest, elsewhere), kinds);
  };

  async function set(action: WarningsAction, kinds: readonly ChannelKind[], elsewhere: string): Promise<void> {
    const { channel } = action.origin;
    const { isOn } = action;
    const what = kinds.map((kind) => kind.replaceAll('-', ' ')).join(', ');
    const line = { did: `turned ${isOn ? 'on' : 'off'} warnings (${what}) in`, channel, before: null, after: null };
    const words = (is: (kind: ChannelKind) => boolean): string =>
      kinds.map((kind) => `${kind} ${is(kind) ? 'on' : 'off'}`).join(', ');
    const off = await preferences.switchedOff(channel);
    const before = words((kind) => !off.includes(kind));
    const after = words(() => isOn);
    await record(action, setTo(before, after, line));
    for (const kind of kinds) await preferences.set(channel, kind, isOn);
    await responses.answer(action, warningsSet({ kinds, isOn, elsewhere }));
  }
}
