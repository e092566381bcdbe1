import type { NotificationKind } from '../../src/holders/preference-store.ts';
import type { Message } from '../../src/slack/message.ts';
import { section, sentence } from '../core/blocks.ts';

const names: Readonly<Partial<Record<NotificationKind, string>>> = {
  'expiring-cards': 'cards that are about to expire',
  'failing-subscriptions': 'subscriptions that keep failing',
  'low-balance': 'a low business balance',
};

const list = new Intl.ListFormat('en-US');

/** Of what a channel is warned from now on. */
export function warningsSet({ kinds, isOn }: { kinds: readonly NotificationKind[]; isOn: boolean }): Message {
  const what = list.format(kinds.map((kind) => names[kind] ?? kind));
  const said = isOn
    ? `This channel gets warnings about ${what}.`
    : `This channel no longer gets warnings about ${what}.`;
  const means = isOn
    ? 'Each is posted where its alerts go: declines, status changes or operations.'
    : 'Cardholders decide for themselves, in the Home tab.';
  return { text: sentence(`${said} ${means}`), blocks: [section(`*${said}*`, means)] };
}
