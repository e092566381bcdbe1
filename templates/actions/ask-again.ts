import { formatRoughly } from '../../src/core/duration.ts';
import { actionId } from '../../src/slack/action-id.ts';
import type { Message } from '../../src/slack/message.ts';
import { actions, button, context, escapeUntrusted, section, sentence } from '../core/blocks.ts';

interface AskAgain {
  /** Opaque id: the button's value. */
  readonly value: string;
  /** Completes "to …": `change limits`. */
  readonly doing: string;
  /** Since the click. */
  readonly waitedMs: number;
}

/** An action that loosens a card waited too long. The card may have changed since. */
export function askAgain({ value, doing, waitedMs }: AskAgain): Message {
  const asked = `You asked ${formatRoughly(waitedMs)} ago to ${escapeUntrusted(doing, 100)}, and I could not do it until now.`;
  const todo = 'Nothing changed. Do you still want it?';
  return {
    text: sentence(`${asked} ${todo}`),
    blocks: [
      section(`*${asked}*`, todo),
      ...actions(button({ text: 'Do it now', action: actionId.chooseCard, value, label: 'Do it now' })),
      ...context('To leave everything as it is, do nothing.'),
    ],
  };
}

interface StillTrying {
  /** Completes "to …": `change limits`. */
  readonly doing: string;
  /** The card service rejects requests because it got too many. */
  readonly isRateLimited: boolean;
  readonly isBlock: boolean;
}

/** The card service could not be asked, and the action is retried. The change may be in effect, if an answer was lost. */
export function stillTrying({ doing, isRateLimited, isBlock }: StillTrying): Message {
  const title = `Still trying to ${escapeUntrusted(doing, 100)}.`;
  const why = isRateLimited ? 'The card service is rate limiting Cardbell.' : 'The card service does not answer.';
  const next = 'I’ll keep trying for a few minutes and tell you how it ends.';
  const urgent = isBlock ? ' If it is urgent, block the card in the card service’s admin portal.' : '';
  return {
    text: sentence(`${title} ${why} ${next}${urgent}`),
    blocks: [section(`*${title}* ${why}`, `${next}${urgent}`)],
  };
}
