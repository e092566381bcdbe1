import { readDirectKind, readOwnDigest } from '../../src/app-home/verbs.ts';
import type { ListenerDeps } from '../deps.ts';
import type { ButtonArgs } from '../dispatch/button-args.ts';
import { ofButton } from '../dispatch/interaction.ts';
import { formTooOld, refuseChoice } from '../dispatch/refused.ts';

/** *Turn on* and *Turn off* in App Home: the value is a kind of messages and what it shall be. */
export function setPreference(deps: ListenerDeps) {
  return async ({ ack, body, action }: ButtonArgs): Promise<void> => {
    await ack();
    const interaction = ofButton(body, deps);
    const [kind = '', to] = (action.value ?? '').split(':');
    const [what, often] = [readDirectKind(kind), kind === 'digest' ? readOwnDigest(to ?? '') : null];
    const preference =
      often !== null
        ? ({ kind: 'digest', often } as const)
        : what === null
          ? null
          : ({ kind: 'messages', what, isOn: to === 'on' } as const);
    if (preference === null) return await refuseChoice(interaction, { kind: 'own' }, formTooOld(), deps);
    const target = { kind: 'channel', text: kind } as const;
    await deps.requestAction({ ...interaction, verb: 'notify', target, input: { preference } }, interaction.notify);
  };
}
