import type { KnownBlock } from '@slack/types';
import { commandCode } from '../../src/core/installation.ts';
import { actionId } from '../../src/slack/action-id.ts';
import type { Message } from '../../src/slack/message.ts';
import { mention } from '../../src/slack/mrkdwn.ts';
import { button, context, header, outside, section, sentence } from '../core/blocks.ts';

const kindWords = {
  declines: 'Your card is declined',
  'card-status': 'Your card is blocked, unblocked or activated',
  shipping: 'Your card is on its way',
  'virtual-cards': 'You get a virtual card',
  'limit-warnings': 'You come close to a limit',
  'expiring-cards': 'Your card expires soon',
  'failing-subscriptions': 'A subscription keeps failing on your card',
} as const;

type DirectKind = keyof typeof kindWords;
const directKinds = Object.keys(kindWords) as readonly DirectKind[];

export interface PreferenceFacts {
  /** Kinds of messages that the person has switched off. */
  readonly off: readonly string[];
  /** The person's own quiet hours, in words; null: none. */
  readonly quiet: string | null;
  /** Who may act for the person, by the policy. Days such as `2026-12-24`. */
  readonly delegates: readonly { readonly to: string; readonly from: string; readonly until: string }[];
}

/** What the person is told in direct messages, with a button for each. */
export function homePreferences({ off, quiet, delegates }: PreferenceFacts): KnownBlock[] {
  return [
    header('Messages to you'),
    ...directKinds.map((kind) => {
      const isOn = !off.includes(kind);
      const words = {
        text: isOn ? 'Turn off' : 'Turn on',
        label: `${isOn ? 'Turn off' : 'Turn on'}: ${kindWords[kind]}`,
      };
      const control = button({ ...words, action: actionId.setPreference, value: `${kind}:${isOn ? 'off' : 'on'}` });
      return { ...section(`${isOn ? '' : '~'}${kindWords[kind]}${isOn ? '' : '~  ·  off'}`), accessory: control };
    }),
    ...context(
      quiet === null
        ? `No quiet hours. To set yours: ${commandCode('notify quiet 22:00-07:00')}`
        : `Quiet ${outside(quiet, 100)}. To end it: ${commandCode('notify quiet off')}`,
      ...delegates.map(
        ({ to, from, until }) =>
          `${mention(to)} may act for you from ${outside(from, 10)} to ${outside(until, 10)}: set in the policy.`,
      ),
    ),
  ];
}

export function preferenceSet({ what, isOn }: { readonly what: DirectKind; readonly isOn: boolean }): Message {
  const text = `${isOn ? 'I’ll message you when this happens' : 'I won’t message you about this any more'}: ${kindWords[what].toLowerCase()}.`;
  const undo = `To change that: ${commandCode(`notify ${what} ${isOn ? 'off' : 'on'}`)}`;
  return { text: sentence(text), blocks: [section(`*${text}*`, undo)] };
}

export function quietHoursSet({ words }: { readonly words: string | null }): Message {
  const text =
    words === null
      ? 'You have no quiet hours now.'
      : `Your quiet hours: ${outside(words, 100)}. Messages about your cards wait until they end; suspected fraud comes at once.`;
  return { text: sentence(text), blocks: [section(text)] };
}
