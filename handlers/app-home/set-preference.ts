import { readDirectKind, readOwnDigest } from '../../src/app-home/verbs.ts';
import { onPress } from '../dispatch/press.ts';
import { formTooOld, refuseChoice } from '../dispatch/refused.ts';

/** *Turn on* and *Turn off* in App Home: the value is a kind of message and its new setting. */
export const setPreference = onPress(async ({ value, interaction }, deps) => {
  const [kind = '', to] = value.split(':');
  const [what, often] = [readDirectKind(kind), kind === 'digest' ? readOwnDigest(to ?? '') : null];
  const preference =
    often !== null
      ? ({ kind: 'digest', often } as const)
      : what === null
        ? null
        : ({ kind: 'messages', what, isOn: to === 'on' } as const);
  if (preference === null) return await refuseChoice(interaction, { kind: 'own' }, formTooOld(), deps);
  const target = { kind: 'channel', text: kind } as const;
  await deps.requestAction({ ...interaction, verb: 'notify', target, input: { preference } });
});
