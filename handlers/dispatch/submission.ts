import type { AllMiddlewareArgs, SlackViewMiddlewareArgs, ViewSubmitAction } from '@slack/bolt';
import type { Origin } from '../../src/actions/action.ts';
import { contentId } from '../../src/core/content-id.ts';
import type { Message } from '../../src/slack/message.ts';
import type { ListenerDeps } from '../deps.ts';

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
  const actor = { userId: body.user.id, teamId: body.team?.id ?? '' };
  const user = body.user as { team_id?: string };
  const origin: Origin = { kind: 'form', channel, messageTs, reply: null, replace: false };
  return {
    id: contentId('act_', ['form', body.view.id, actor.userId]),
    actor,
    isExternal: user.team_id !== undefined && user.team_id !== actor.teamId,
    origin,
    async notify(message: Message): Promise<void> {
      await deps.postEphemeral(channel, actor.userId, message).catch((error: unknown) => {
        deps.log.error({ err: error }, 'could not deliver an answer');
      });
    },
  };
}
