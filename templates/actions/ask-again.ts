import { formatRoughly } from '../../src/core/duration.ts';
import { capital } from '../../src/core/first-letter.ts';
import { actionId } from '../../src/slack/action-id.ts';
import type { Message } from '../../src/slack/message.ts';
import { actions, button, context, escapeUntrusted, section, sentence, textMessage } from '../core/blocks.ts';

/** Characters of what was asked for. */
const ASKED_MAX = 400;

interface AskAgain {
  /** Opaque id: the button's value. */
  readonly value: string;
  /** Completes "to …": `unblock Jane Doe · card 4242`. Raw. */
  readonly asked: string;
  /** Since the click. */
  readonly waitedMs: number;
}

/** An action that loosens a card waited too long. The card may have changed since. */
export function askAgain({ value, asked, waitedMs }: AskAgain): Message {
  const title = `You asked ${formatRoughly(waitedMs)} ago to ${escapeUntrusted(asked, ASKED_MAX)}.`;
  const todo = 'It could not be done until now. Nothing changed. Do you still want it?';
  return {
    text: sentence(`${title} ${todo}`),
    blocks: [
      section(`*${title}*`, todo),
      ...actions(button({ text: 'Do it now', action: actionId.chooseCard, value, label: `Do it now: ${asked}` })),
      ...context('To leave everything as it is, do nothing.'),
    ],
  };
}

interface StillTrying {
  /** Completes "to …": `unblock Jane Doe · card 4242`. Raw. */
  readonly asked: string;
  /** The card service rejects requests because it got too many. */
  readonly isRateLimited: boolean;
  /** `Slack does not say who has which role`; null: the card service could not be asked. */
  readonly unread: string | null;
  readonly isBlock: boolean;
  /** The reader may not use the card program's portal. */
  readonly isHolder: boolean;
  /** The alert shows the outcome, and no other message does. */
  readonly isOnAlert: boolean;
}

/** Whoever had to be asked did not answer, and the action is retried. The change may be in effect, if an answer was lost. */
export function stillTrying({ asked, isRateLimited, unread, isBlock, isHolder, isOnAlert }: StillTrying): Message {
  const title = `Still trying to ${escapeUntrusted(asked, ASKED_MAX)}.`;
  const ofService = isRateLimited
    ? 'The card service is rate limiting Cardbell.'
    : 'The card service gives no clear answer.';
  const why = unread === null ? ofService : `${capital(unread)}.`;
  const end = isOnAlert ? '; the message with the button shows how it ends.' : ' and tell you how it ends.';
  const next = `I’ll keep trying for a few minutes${end}`;
  const portal = 'block the card in the card program’s portal.';
  const urgent = isBlock ? ` If it is urgent, ${isHolder ? `ask an operator to ${portal}` : portal}` : '';
  return textMessage(`*${title}* ${why}`, `${next}${urgent}`);
}
