import type { Message } from '../../src/slack/message.ts';
import { dateAfter } from '../../src/slack/mrkdwn.ts';
import { section, sentence } from '../core/blocks.ts';

/** It runs: what it does, and where it tells how far it is. */
export function recoveryStarted({ from, channel }: { from: string; channel: string }): Message {
  const what = `Looking for everything ${dateAfter('since', from)} that was not told.`;
  const then = `What is found is posted where it belongs, marked as late. How many, you will see in <#${channel}>.`;
  return { text: sentence(`${what} ${then}`), blocks: [section(`*${what}*`, then)] };
}
