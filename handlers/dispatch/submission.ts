import type { AllMiddlewareArgs, SlackViewMiddlewareArgs, ViewOutput, ViewSubmitAction } from '@slack/bolt';
import type { ModalView } from '@slack/types';
import type { Origin } from '../../src/actions/action.ts';
import type { ListenerDeps } from '../../src/app/compose-web.ts';
import { contentId } from '../../src/core/content-id.ts';
import type { Pending } from '../../src/dispatch/pending-form-store.ts';
import { type Inputs, inputsOf } from './form-inputs.ts';
import { notifyAt, placeOf, whoActs } from './interaction.ts';
import type { Asked } from './press.ts';

export type ViewArgs = AllMiddlewareArgs & SlackViewMiddlewareArgs<ViewSubmitAction>;
export type FormListener = (deps: ListenerDeps) => (args: ViewArgs) => Promise<void>;

/** Shown next to an input, because a form has no other place for it. */
const expiredForm =
  'This form was open for more than 30 minutes. Nothing changed. Close it and press the button again.';

/** Who submitted a form, and how to answer in the conversation where they opened it. */
export function ofForm(body: ViewSubmitAction, opened: Parameters<typeof placeOf>[0], deps: ListenerDeps) {
  const who = whoActs(body.user, body.team);
  const { userId } = who.actor;
  const origin: Origin = { kind: 'form', ...placeOf(opened), reply: null, replace: false };
  return {
    id: contentId('act_', ['form', body.view.id, userId]),
    ...who,
    origin,
    notify: notifyAt(origin, userId, deps),
  };
}

interface Submitted<Form> {
  readonly form: Form;
  readonly inputs: Inputs;
  readonly view: ViewOutput;
}

/** Errors next to their inputs, by action id; or the form, changed. */
type Again = { readonly errors: Readonly<Record<string, string>> } | { readonly view: ModalView };

/**
 * A form that stands for something stored when it was opened: an alert, a request.
 *
 * @param read what it asks for, and the reason. Null: what it stands for is no longer there.
 */
export function onSubmit<Kind extends 'form' | 'decide' | 'ask'>(
  kind: Kind,
  read: (
    submitted: Submitted<Extract<Pending, { kind: Kind }>>,
    deps: ListenerDeps,
  ) => Promise<(Asked & { readonly reason: string }) | Again | null>,
): FormListener {
  return (deps) =>
    async ({ ack, body, view }) => {
      const inputs = inputsOf(view);
      const pending = await deps.pending.get(view.private_metadata);
      const form = pending?.kind === kind ? (pending as Extract<Pending, { kind: Kind }>) : null;
      const asked = form === null ? null : await read({ form, inputs, view }, deps);
      if (form === null || asked === null) return await ack(inputs.refusal({ reason: expiredForm }));
      if ('errors' in asked) return await ack(inputs.refusal(asked.errors));
      if ('view' in asked) return await ack({ response_action: 'update', view: asked.view });
      await ack();
      await deps.requestAction({ ...ofForm(body, form, deps), ...asked });
    };
}
