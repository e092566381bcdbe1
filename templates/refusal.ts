import type { Message } from '../src/slack/message.ts';
import { mention } from '../src/slack/mrkdwn.ts';
import { outside, section, sentence } from './parts.ts';

export interface Refusal {
  /** What was asked, as a noun: `Unblocking card ending 4242`. */
  readonly what: string;
  /** Why not, one sentence. */
  readonly why: string;
  /** Who can, or what to do: a sentence; `userIds` are named after it. */
  readonly whoCan: string | { readonly text: string; readonly userIds: readonly string[] };
}

/** A no that says why, and who can. Nothing was changed. */
export function refusal({ what, why, whoCan }: Refusal): Message {
  const { text, userIds } = typeof whoCan === 'string' ? { text: whoCan, userIds: [] } : whoCan;
  const people = userIds.slice(0, 20).map(mention).join(', ');
  const fix = [outside(text, 500), people && `${people}.`].filter(Boolean).join(' ');

  return {
    text: sentence(`Not done: ${outside(what, 200)}. ${outside(why, 500)} ${fix} Nothing changed.`),
    blocks: [section(`*Not done: ${outside(what, 200)}.* ${outside(why, 500)}`, fix, 'Nothing changed.')],
  };
}
