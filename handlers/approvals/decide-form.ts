import { requestTarget } from '../../src/approvals/request.ts';
import type { Refused } from '../../src/dispatch/request-action.ts';
import { aloneCents } from '../../src/policy/approval-policy.ts';
import { type DecidePurpose, decideForm } from '../../templates/approvals/decide-form.ts';
import type { ListenerDeps } from '../deps.ts';
import type { ButtonArgs } from '../dispatch/button-args.ts';
import { ofButton } from '../dispatch/interaction.ts';
import { refused } from '../dispatch/refused.ts';

/** *Change and approve…*, *Deny with note…*, *Break glass…* on a request: each opens its form, for who may. */
export function openDecideForm(purpose: DecidePurpose) {
  return (deps: ListenerDeps) =>
    async ({ ack, body, action }: ButtonArgs): Promise<void> => {
      await ack();
      const interaction = ofButton(body, deps);
      const verb = purpose === 'override' ? 'emergency-override' : 'decide';
      const target = requestTarget(action.value ?? '');
      const input = async (): Promise<Refused | { kind: 'shown' }> => {
        const request = await deps.requests.get(target.requestId);
        if (request?.state !== 'open') {
          const why = request === null ? 'This request is too old.' : 'This request is decided already.';
          return refused({ what: 'Your decision', why, whoCan: 'Nothing is left to decide.' });
        }
        const { channel, messageTs } = interaction.origin;
        // The form shows the request as it is now, whatever the message showed.
        const { id: requestId, revision } = request;
        const form = { kind: 'decide', requestId, revision, purpose, channel, messageTs } as const;
        const privateMetadata = await deps.pending.put(form);
        const capCents = aloneCents(deps.policyFor(request.card.group));
        await deps.openView(body.trigger_id, decideForm({ privateMetadata, purpose, request, capCents }));
        // The action is what the form will submit.
        return { kind: 'shown' };
      };
      await deps.requestAction({ ...interaction, verb, target, input }, interaction.notify);
    };
}
