import { delegateForm, delegateInput } from '../../templates/app-home/delegate.ts';
import type { ListenerDeps } from '../deps.ts';
import { DAY_PASSED, inputsOf } from '../dispatch/form-inputs.ts';
import { asks, onPress } from '../dispatch/press.ts';
import { ofForm, type ViewArgs } from '../dispatch/submission.ts';

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
export const endDelegation = asks(() => ({ verb: 'delegate', target, input: { delegate: null } }));

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
