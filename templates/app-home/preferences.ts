import type { KnownBlock } from '@slack/types';
import { lowerFirst } from '../../src/core/first-letter.ts';
import { commandCode, serviceZone } from '../../src/core/installation.ts';
import type { DirectKind } from '../../src/holders/preference-store.ts';
import { actionId } from '../../src/slack/action-id.ts';
import type { Message } from '../../src/slack/message.ts';
import { button, context, escapeUntrusted, header, section, sentence, textMessage } from '../core/blocks.ts';
import { policyDelegate, type ShownDelegate } from './delegate.ts';

const kindWords: Readonly<Record<DirectKind, string>> = {
  declines: 'Your card is declined',
  'card-status': 'Your card is blocked, unblocked, activated or closed',
  shipping: 'Your card is on its way',
  'virtual-cards': 'You get a virtual card',
  'limit-warnings': 'You are close to a limit',
  'expiring-cards': 'Your card expires soon',
  'failing-subscriptions': 'A subscription keeps failing on your card',
};
const directKinds = Object.keys(kindWords) as readonly DirectKind[];

export interface PreferenceFacts {
  /** Kinds of messages that the person has switched off. */
  readonly off: readonly string[];
  /** How often the person gets a digest of their own cards; null: never. */
  readonly digest: 'daily' | 'weekly' | null;
  /** The person's own quiet hours, in words; null: none. */
  readonly quiet: string | null;
  /** The person's delegates, from the policy. */
  readonly delegates: readonly ShownDelegate[];
}

/** The person's direct messages, with a button for each kind. */
export function homePreferences({ off, digest, quiet, delegates }: PreferenceFacts): KnownBlock[] {
  return [
    header('I message you when…'),
    ...directKinds.map((kind) => {
      const isOn = !off.includes(kind);
      return row(kindWords[kind], isOn, `${kind}:${isOn ? 'off' : 'on'}`, exceptionOf(kind));
    }),
    header('Digests'),
    ...ownDigestRows.map(([often, words]) =>
      row(words, digest === often, `digest:${digest === often ? 'off' : often}`),
    ),
    ...context(
      quiet === null
        ? `No quiet hours. To set yours: ${commandCode('notify quiet 22:00-07:00')}`
        : `Quiet ${escapeUntrusted(quiet, 100)}. To end it: ${commandCode('notify quiet off')}`,
      ...delegates.map(policyDelegate),
    ),
  ];
}

const ownDigestRows = [
  ['daily', 'Digest of your cards every day'],
  ['weekly', 'Digest of your cards every Monday'],
] as const;

/** One kind of message, with the button that switches it. */
function row(words: string, isOn: boolean, value: string, exception = ''): KnownBlock {
  const text = isOn ? 'Turn off' : 'Turn on';
  const control = button({ text, label: `${text}: ${words}`, action: actionId.setPreference, value });
  return { ...section(`${words}${isOn ? '' : ` · *off${exception}*`}`), accessory: control };
}

/** What comes although the kind is off. */
function exceptionOf(kind: DirectKind): string {
  return kind === 'declines' ? ', unless it may be fraud' : '';
}

/** Nothing is sent before a card is linked to the person. */
function onceLinked(hasCard: boolean): string {
  return hasCard ? '' : `, once a card is linked to you: ${commandCode('link')}`;
}

interface DigestSet {
  readonly often: 'daily' | 'weekly' | 'off';
  readonly hasCard: boolean;
}

/** Confirms a person's new setting for the digest of their own cards. */
export function ownDigestSet({ often, hasCard }: DigestSet): Message {
  const when = often === 'daily' ? 'every day' : 'every Monday';
  const text =
    often === 'off'
      ? 'You get no digest of your cards.'
      : `You get a digest of your cards ${when} at 9:00 AM ${serviceZone().short}${onceLinked(hasCard)}.`;
  const undo = `To change that: ${commandCode(`notify digest ${often === 'off' ? 'weekly' : 'off'}`)}`;
  return { text: sentence(text), blocks: [section(`*${text}*`, undo)] };
}

interface PreferenceSet {
  readonly what: DirectKind;
  readonly isOn: boolean;
  readonly hasCard: boolean;
}

export function preferenceSet({ what, isOn, hasCard }: PreferenceSet): Message {
  const when = `message you when ${lowerFirst(kindWords[what])}`;
  const text = isOn ? `I’ll ${when}${onceLinked(hasCard)}.` : `I won’t ${when}${exceptionOf(what)}.`;
  const undo = `To change that: ${commandCode(`notify ${what} ${isOn ? 'off' : 'on'}`)}`;
  return { text: sentence(text), blocks: [section(`*${text}*`, undo)] };
}

export function quietHoursSet({ words }: { readonly words: string | null }): Message {
  return textMessage(
    words === null
      ? 'You have no quiet hours.'
      : `Your quiet hours: ${escapeUntrusted(words, 100)}. Messages about your cards wait until they end; suspected fraud comes at once.`,
  );
}
