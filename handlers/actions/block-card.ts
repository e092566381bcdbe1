import { alertIdInFraudValue } from '../../src/alerts/alert.ts';
import type { ListenerDeps } from '../deps.ts';
import type { ButtonArgs } from '../dispatch/button-args.ts';
import { ofButton } from '../dispatch/interaction.ts';

/** *Block card*; on the holder's message *It wasn't me*, which opens a fraud case as well. */
export function blockCard(deps: ListenerDeps) {
  return async ({ ack, body, action: { value = '' } }: ButtonArgs): Promise<void> => {
    await ack();
    const interaction = ofButton(body, deps);
    const reported = alertIdInFraudValue(value);
    const target = { kind: 'alert', alertId: reported ?? value } as const;
    const input = reported === null ? {} : ({ isFraud: true } as const);
    await deps.requestAction({ ...interaction, verb: 'block', target, input }, interaction.notify);
  };
}
