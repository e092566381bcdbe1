import type { AllMiddlewareArgs, SlackViewMiddlewareArgs, ViewSubmitAction } from '@slack/bolt';
import type { Origin } from '../../src/actions/action.ts';
import { contentId } from '../../src/core/content-id.ts';
import type { Message } from '../../src/slack/message.ts';
import type { ListenerDeps } from '../deps.ts';
import { whoActs } from './interaction.ts';

export type ViewArgs = AllMiddlewareArgs & SlackViewMiddlewareArgs<ViewSubmitAction>;

/** Shown next to an input, because a form has no other place for it. */
export const expiredForm =
  'This form was open for more than 30 minutes. Nothing changed. Close it and press the button again.';

/** Who submitted a form, and how to answer in the conversation where they opened it. */
export function ofForm(
  body: ViewSubmitAction,
  { channel, messageTs }: { channel: string; messageTs: string | null },
  deps: ListenerDeps,
) {
  const who = whoActs(body.user as { id: string; team_id?: string }, body.team);
  const { userId } = who.actor;
  const origin: Origin = { kind: 'form', channel, messageTs, reply: null, replace: false };
  return {
    id: contentId('act_', ['form', body.view.id, userId]),
    ...who,
    origin,
    async notify(message: Message): Promise<void> {
      await deps.postEphemeral(channel, userId, message).catch((error: unknown) => {
        deps.log.error({ err: error }, 'could not deliver an answer');
      });
    },
  };
}
