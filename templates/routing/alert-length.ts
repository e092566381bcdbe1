import { commandCode } from '../../src/core/installation.ts';
import type { Message } from '../../src/slack/message.ts';
import { section, sentence } from '../core/blocks.ts';

/** How much an alert of this channel says at once, from now on. */
export function alertLengthSet({ isLong }: { readonly isLong: boolean }): Message {
  const what = isLong ? 'Alerts in this channel now show everything.' : 'Alerts in this channel are now three lines.';
  const means = isLong
    ? `To go back to three lines: ${commandCode('alerts short')}.`
    : `The rest is behind Details. To see everything at once: ${commandCode('alerts long')}.`;
  return { text: sentence(`${what} ${means}`), blocks: [section(`*${what}*`, means)] };
}
