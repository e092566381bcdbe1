import type { ListenerDeps } from '../../src/app/compose-web.ts';
import { turnOf } from '../../src/app-home/home-page.ts';
import { readPreference } from '../../src/app-home/verbs.ts';
import { delegateForm, delegateInput } from '../../templates/app-home/delegate.ts';
import { FIRST } from '../../templates/app-home/program-menu.ts';
import { openAskForm } from '../approvals/ask-for-raise.ts';
import { DAY_PASSED, inputsOf } from '../dispatch/form-inputs.ts';
import { asks, onPress, type PressListener } from '../dispatch/press.ts';
import { refuseButton } from '../dispatch/refused.ts';
import { ofForm, type ViewArgs } from '../dispatch/submission.ts';

/** The menu on top of App Home when there are several card programs. */
export const chooseProgram = onPress(async ({ value, body }, { showProgram }) => {
  await showProgram(body.user.id, value === FIRST ? '' : value);
});

/** *Previous* and *Next* below a list of App Home. */
export const turnPage = onPress(async ({ value, body, interaction }, deps) => {
  const turn = turnOf(value);
  if (turn === null) return await refuseButton(interaction, deps);
  await deps.renderHome(body.user.id, true, turn);
});

/**
 * *Block card*, *Activate card* and *Ask for more…* in App Home: the value is a sealed card. The answer is a direct
 * message.
 */
export function actOnHomeCard(verb: 'block' | 'activate' | 'ask'): PressListener {
  return onPress(async ({ value, body, interaction }, deps) => {
    const card = deps.seals.card.open(value);
    if (card === null) return await refuseButton(interaction, deps);
    const target = { kind: 'card', ...card, alertId: null } as const;
    if (verb !== 'ask') return await deps.requestAction({ ...interaction, verb, target, input: {} });
    const about = { alertId: null, words: [String(card.acctId)], messageTs: null };
    const input = () => openAskForm(body.trigger_id, interaction, about, deps);
    await deps.requestAction({ ...interaction, verb, target, input });
  });
}

/** *Turn on* and *Turn off* in App Home: the value is a kind of message and its new setting. */
export const setPreference = onPress(async ({ value, interaction }, deps) => {
  const [kind = '', to = ''] = value.split(':');
  const preference = readPreference([kind, to]);
  if (typeof preference === 'string') return await refuseButton(interaction, deps);
  await deps.requestAction({
    ...interaction,
    verb: 'notify',
    target: { kind: 'channel', text: kind },
    input: { preference },
  });
});

const target = { kind: 'channel', text: '' } as const;

/** *Name a delegate…* in App Home: opens the form for people who may use it. */
export const nameDelegate = onPress(async ({ body, interaction }, deps) => {
  const openForm = async (): Promise<{ kind: 'shown' }> => {
    await deps.openView(body.trigger_id, delegateForm(deps.ownDelegates()));
    return { kind: 'shown' };
  };
  await deps.requestAction({ ...interaction, verb: 'delegate', target, input: openForm });
});

/** *End now* next to the delegate. */
export const endDelegation = asks(() => ({ verb: 'end-delegation', target, input: { delegate: null } }));

/** Submits the form. The policy is checked when the action is performed. */
export function setDelegate(deps: ListenerDeps) {
  return async ({ ack, body, view }: ViewArgs): Promise<void> => {
    const inputs = inputsOf(view);
    const [to, from, until] = [
      inputs.person(delegateInput.to),
      inputs.day(delegateInput.from),
      inputs.day(delegateInput.until),
    ];
    if (to === null || from === null || until === null || until < from) {
      await ack(inputs.refusal({ until: 'Choose a day that is not before the first.' }));
      return;
    }
    if (until < deps.today()) return await ack(inputs.refusal({ until: DAY_PASSED }));
    await ack();
    const submitted = ofForm(body, { channel: body.user.id, messageTs: null }, deps);
    await deps.requestAction({ ...submitted, verb: 'delegate', target, input: { delegate: { to, from, until } } });
  };
}
