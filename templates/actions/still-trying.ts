import type { Message } from '../../src/slack/message.ts';
import { escapeUntrusted, section, sentence } from '../core/blocks.ts';

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
