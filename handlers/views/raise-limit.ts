import type { AllMiddlewareArgs, SlackViewMiddlewareArgs, ViewSubmitAction } from '@slack/bolt';
import { LimitPeriod } from '../../src/alert/alert.ts';
import { parseAmount } from '../../src/alert/money.ts';
import { maskCardNumbers } from '../../src/card-number.ts';
import { contentId } from '../../src/content-id.ts';
import { raiseLimitInput } from '../../templates/raise-limit-form.ts';
import type { ListenerDeps } from '../deps.ts';

type Args = AllMiddlewareArgs & SlackViewMiddlewareArgs<ViewSubmitAction>;

/** *Raise limit*, submitted: what is wrong with the input is said beside it, all else is the worker's. */
export function raiseLimit(deps: ListenerDeps) {
  return async ({ ack, body, view }: Args): Promise<void> => {
    const inputs = Object.assign({}, ...Object.values(view.state.values)) as Record<
      string,
      { value?: string | null; selected_option?: { value: string } | null } | undefined
    >;
    const limitCents = parseAmount(inputs[raiseLimitInput.amount]?.value ?? '');
    const period = LimitPeriod.safeParse(inputs[raiseLimitInput.period]?.selected_option?.value);
    const reason = maskCardNumbers(inputs[raiseLimitInput.reason]?.value?.trim() ?? '');
    const errors = {
      ...(limitCents === null ? { [raiseLimitInput.amount]: 'Write dollars such as 450 or 1,250.50.' } : {}),
      ...(reason === '' ? { [raiseLimitInput.reason]: 'Say why, in a few words: it goes on record.' } : {}),
    };
    if (limitCents === null || reason === '') {
      await ack({ response_action: 'errors', errors });
      return;
    }
    const form = await deps.pending.get(view.private_metadata);
    if (form?.kind !== 'form') {
      const text = 'This form was open for more than 30 minutes. Nothing changed. Close it and press the button again.';
      await ack({ response_action: 'errors', errors: { [raiseLimitInput.amount]: text } });
      return;
    }
    await ack();

    const actor = { userId: body.user.id, teamId: body.team?.id ?? '' };
    const user = body.user as { team_id?: string };
    await deps.requestAction(
      {
        id: contentId('act_', ['form', view.id, actor.userId]),
        verb: 'limit',
        target: { kind: 'alert', alertId: form.alertId },
        limit: {
          period: period.success ? period.data : 'daily',
          limitCents,
          category: form.category,
          durationMs: null,
        },
        reason,
        actor,
        isStranger: user.team_id !== undefined && user.team_id !== actor.teamId,
        origin: { kind: 'form', channel: form.channel, messageTs: form.messageTs, reply: null, replace: false },
      },
      async (message) => {
        await deps.postEphemeral(form.channel, actor.userId, message).catch((error: unknown) => {
          deps.log.error({ err: error }, 'answer could not be delivered');
        });
      },
    );
  };
}
