import type { Action } from '../../src/actions/action.ts';
import { contentId } from '../../src/core/content-id.ts';
import { askOf, inputOf } from '../../src/dispatch/request-action.ts';
import { cardPicker, pickedSaid, readingCard } from '../../templates/directory/card-picker.ts';
import type { ListenerDeps } from '../deps.ts';
import { notifyAt } from './interaction.ts';
import { onPress, type Press, type PressListener } from './press.ts';
import { formTooOld, inForm, refuseChoice } from './refused.ts';

/**
 * A button of the picker. The worker performs the action and answers where `/card` was typed. Pressing twice requests
 * it once.
 *
 * *Show limits* is answered in a form on top of the picker, which stays open.
 */
export const actOnPicked = onPicked(async ({ pendingId, asked, body, say }, deps) => {
  const isShow = asked.verb === 'show';
  const shown = isShow ? await deps.pushView(body.trigger_id, readingCard()) : undefined;
  const { verb, target, actor } = asked;
  const origin = shown === undefined ? asked.origin : { ...asked.origin, view: shown };
  // Each press is a new request, because each one fills the form that it opened.
  const id = contentId('act_', ['picked', pendingId, shown?.viewId ?? '']);
  const ask = askOf({ id, verb, target, actor, isExternal: false, origin, input: inputOf(asked) });
  await deps.requestAction({ ...ask, notify: notifyAt(origin, body.user.id, deps) });
  if (!isShow) await say(pickedSaid.asked(origin.channel));
});

interface Picked extends Pick<Press, 'body'> {
  readonly pendingId: string;
  readonly asked: Action;
  /** Replaces the content of the picker with a sentence. */
  readonly say: (notice: string) => Promise<void>;
}

/** A button of the picker. If its action has expired, the press is refused in the form. */
export function onPicked(act: (picked: Picked, deps: ListenerDeps) => Promise<void>): PressListener {
  return onPress(async ({ value: pendingId, body, interaction }, deps) => {
    const { view, user } = body;
    if (view === undefined) return;
    const privateMetadata = view.private_metadata;
    const say = async (notice: string): Promise<void> =>
      await deps.updateView(
        { viewId: view.id, hash: view.hash },
        cardPicker({ privateMetadata, picked: null, notice }),
      );
    const asked = await pickedBy(user.id, pendingId, deps);
    if (asked !== null) return await act({ pendingId, asked, body, say }, deps);
    await refuseChoice(inForm(interaction), { kind: 'action', actionId: pendingId }, formTooOld(), deps);
    await say(pickedSaid.expired());
  });
}

/** The action behind a control of the picker. Null when it has expired or belongs to someone else. */
export async function pickedBy(userId: string, pendingId: string, { pending }: ListenerDeps): Promise<Action | null> {
  const found = await pending.get(pendingId);
  return found?.kind === 'choice' && found.action.actor.userId === userId ? found.action : null;
}
