import type { ListenerDeps } from '../../src/app/compose-web.ts';
import { contentId } from '../../src/core/content-id.ts';
import { slashCommand } from '../../src/core/installation.ts';
import { readAmount } from '../../src/core/money.ts';
import { toCardFacts } from '../../src/directory/account.ts';
import { askOf } from '../../src/dispatch/request-action.ts';
import { ChangeRequest } from '../../src/limits/change-request.ts';
import { limitCardInput as input, limitCardForm } from '../../templates/limits/limit-card-form.ts';
import { inputsOf } from '../dispatch/form-inputs.ts';
import { notifyAt } from '../dispatch/interaction.ts';
import { onPicked, pickedBy } from '../dispatch/picker.ts';
import type { ViewArgs } from '../dispatch/submission.ts';

/** *Change limit…* in the picker: opens a form on top of it. */
export const limitPicked = onPicked(async ({ pendingId, asked, body }, deps) => {
  const { target } = asked;
  const card =
    target.kind === 'card' ? toCardFacts(target.acctId, await deps.directory.account(target.acctId), target) : null;
  await deps.pushView(body.trigger_id, limitCardForm(pendingId, card));
});

/** The submitted *Change limit* form. Parsed like `/card limit`; errors appear next to the inputs. */
export function limitCard(deps: ListenerDeps) {
  return async ({ ack, body, view }: ViewArgs): Promise<void> => {
    const { text, choice, refusal } = inputsOf(view);
    const refuse = (name: string, why: string) => ack(refusal({ [name]: why }));

    const period = choice(input.period) ?? 'daily';
    const words = text(input.amount).split(/\s+/);
    const command = deps.readCommand(`limit card ${period} ${words.join(' ')}`);
    // A command goes on with a time and a reason, this input does not.
    const isNone = /^no limit$/i.test(words.join(' '));
    const isAmount = words.length === 1 || isNone || readAmount(words)?.words === words.length;
    if (command.kind !== 'read' || !isAmount)
      return await refuse(input.amount, 'Write dollars such as 450, 1,250.50 or 1k, or none.');
    const term = deps.readTerm(text(input.duration));
    if (term === null || typeof term === 'string')
      return await refuse(input.duration, term ?? 'Write how long: 4h, 2 days, until friday, or permanently.');
    if (text(input.reason) === '') return await refuse(input.reason, 'Say why in a few words. It goes on record.');
    const asked = await pickedBy(body.user.id, view.private_metadata, deps);
    if (asked === null)
      return await refuse(
        input.amount,
        `This form was open for more than 30 minutes. Nothing changed. Start again with ${slashCommand()}.`,
      );
    await ack({ response_action: 'clear' });

    const { target, origin, actor } = asked;
    const id = contentId('act_', ['picked', view.private_metadata, view.id]);
    const submitted = { id, target, actor, isExternal: false, origin: { ...origin, kind: 'form' } } as const;
    const { goals } = ChangeRequest.parse(command.input['changeRequest']);
    const changeRequest: ChangeRequest = { goals, term };
    // The reason is never parsed: `2027 budget` after `until Dec 24` is no year.
    const ask = askOf({ ...submitted, verb: command.verb, reason: text(input.reason), input: { changeRequest } });
    await deps.requestAction({ ...ask, notify: notifyAt(origin, body.user.id, deps) });
  };
}
