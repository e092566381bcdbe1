import { commandCode } from '../../src/core/installation.ts';
import type { Message } from '../../src/slack/message.ts';
import { section, sentence } from '../core/blocks.ts';

/** How much an alert of this channel says at once, from now on. */
export function alertLengthSet({ isLong }: { readonly isLong: boolean }): Message {
  const what = isLong
    ? 'Alerts in this channel are long from now on.'
    : 'Alerts in this channel are short from now on.';
  const means = isLong
    ? `Each shows everything at once. To go back to three lines: ${commandCode('alerts short')}`
    : `Each is three lines with its buttons; the rest is behind Details. To see everything at once: ${commandCode('alerts long')}`;
  return { text: sentence(`${what} ${means}`), blocks: [section(`*${what}*`, means)] };
}
