import { warningsSet } from '../../templates/warnings/warnings.ts';
import type { ActionTools } from '../actions/action-tools.ts';
import type { Preferences } from '../holders/preference-store.ts';
import type { WarningsAction } from './verbs.ts';

interface Deps extends Pick<ActionTools, 'answer' | 'record'> {
  readonly preferences: Pick<Preferences, 'set' | 'switchedOff'>;
}

/** `/card warnings on|off`: sets which warnings this channel gets. Idempotent. */
export function createSetWarnings({ preferences, answer, record }: Deps) {
  return async function setWarnings(action: WarningsAction): Promise<void> {
    const { channel } = action.origin;
    const { kinds, isOn } = action;
    const what = kinds.map((kind) => kind.replaceAll('-', ' ')).join(', ');
    const line = { did: `turned ${isOn ? 'on' : 'off'} warnings (${what}) in`, channel, before: null };
    const before = (await preferences.switchedOff(channel)).join(', ');
    await record(action, { event: 'done', isFirst: true, before: `off: ${before || 'none'}`, line });
    for (const kind of kinds) await preferences.set(channel, kind, isOn);
    await answer(action, warningsSet({ kinds, isOn }));
  };
}
