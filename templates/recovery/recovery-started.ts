import type { Message } from '../../src/slack/message.ts';
import { dateAfter } from '../../src/slack/mrkdwn.ts';
import { section, sentence } from '../core/blocks.ts';

/** It runs: what it does, and where it tells how far it is. */
export function recoveryStarted({ from, channel }: { from: string; channel: string }): Message {
  const what = `Looking for everything that was missed ${dateAfter('since', from)}.`;
  const then = `What I find is posted where it belongs, marked as late. <#${channel}> shows how many.`;
  return { text: sentence(`${what} ${then}`), blocks: [section(`*${what}*`, then)] };
}
