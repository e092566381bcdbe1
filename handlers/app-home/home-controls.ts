import { turnOf } from '../../src/app-home/home-page.ts';
import { readDirectKind, readOwnDigest } from '../../src/app-home/verbs.ts';
import { FIRST } from '../../templates/app-home/program-menu.ts';
import { openAskForm } from '../approvals/ask-for-raise.ts';
import { onPress, type PressListener } from '../dispatch/press.ts';
import { formTooOld, refuseChoice } from '../dispatch/refused.ts';

/** The menu on top of App Home when there are several card programs. */
export const chooseProgram = onPress(async ({ value, body }, { showProgram }) => {
  await showProgram(body.user.id, value === FIRST ? '' : value);
});

/** *Previous* and *Next* below a list of App Home. */
export const turnPage = onPress(async ({ value, body, interaction }, deps) => {
  const turn = turnOf(value);
  if (turn === null) return await refuseChoice(interaction, { kind: 'own' }, formTooOld(), deps);
  await deps.renderHome(body.user.id, true, turn);
});

/**
 * *Block card*, *Activate card* and *Ask for more…* in App Home: the value is a sealed card. The answer is a direct
 * message.
 */
export function actOnHomeCard(verb: 'block' | 'activate' | 'ask'): PressListener {
  return onPress(async ({ value, body, interaction }, deps) => {
    const card = deps.seals.card.open(value);
    if (card === null) return await refuseChoice(interaction, { kind: 'own' }, formTooOld(), deps);
    const target = { kind: 'card', ...card, alertId: null } as const;
    if (verb !== 'ask') return await deps.requestAction({ ...interaction, verb, target, input: {} });
    const about = { alertId: null, words: [String(card.acctId)], messageTs: null };
    const input = openAskForm(body.trigger_id, interaction, about, deps);
    await deps.requestAction({ ...interaction, verb, target, input });
  });
}

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
