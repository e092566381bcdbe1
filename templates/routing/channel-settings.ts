import { commandCode, serviceTime } from '../../src/core/installation.ts';
import type { UnknownName } from '../../src/routing/never-matches.ts';
import type { Message } from '../../src/slack/message.ts';
import { dateAfter } from '../../src/slack/mrkdwn.ts';
import { escapeUntrusted, headed, section, sentence } from '../core/blocks.ts';
import { unknownLines } from './subscriptions.ts';

interface QuietSet {
  /** `22:00-07:00 Europe/Berlin, weekdays`. */
  readonly words: string;
  /** Normal form of the filter for exempt events; null when there is none. */
  readonly except: string | null;
  /** Unknown names in that filter. */
  readonly unknown: readonly UnknownName[];
  /** When the current quiet hours end; null when it is not quiet now. */
  readonly until: string | null;
  /** How many alerts were held under the previous hours and are now released. */
  readonly released: number;
}

/** A channel now has quiet hours. */
export function quietSet({ words, except, unknown, until, released }: QuietSet): Message {
  const what = `Quiet hours of this channel: ${escapeUntrusted(words, 120)}.`;
  const passes =
    except === null
      ? 'Alerts wait. To let some through, add “except declines over 500”, for example.'
      : `Posted immediately: ${escapeUntrusted(except, 300)}. Other alerts wait.`;
  return {
    text: sentence(
      what,
      passes,
      ...unknownLines(unknown),
      until === null ? null : `It is quiet now, until ${serviceTime(until)}.`,
      releasedNow(released),
    ),
    blocks: [
      section(
        `*${what}*`,
        passes,
        ...unknownLines(unknown),
        'Everything that waited is posted together when they end. Warnings of card testing, requests and answers to you never wait.',
        until === null ? null : `It is quiet now, ${dateAfter('until', until)}.`,
        releasedNow(released),
        `To end them: ${commandCode('quiet off')}`,
      ),
    ],
  };
}

function releasedNow(released: number): string | null {
  if (released === 0) return null;
  return released === 1 ? '1 held alert is being posted now.' : `${released} held alerts are being posted now.`;
}

function releasedAtEnd(released: number): string | null {
  if (released === 0) return null;
  return released === 1 ? 'The held alert will be posted now.' : `The ${released} held alerts will be posted now.`;
}

interface QuietEnded {
  readonly wasSet: boolean;
  /** How many alerts were held until their end. */
  readonly released: number;
}

export function quietEnded({ wasSet, released }: QuietEnded): Message {
  const what = wasSet ? 'This channel no longer has quiet hours.' : 'This channel has no quiet hours.';
  return headed(what, releasedAtEnd(released));
}

/** The new length of this channel's alerts. */
export function alertLengthSet({ isLong }: { readonly isLong: boolean }): Message {
  const what = isLong ? 'Alerts in this channel now show everything.' : 'Alerts in this channel are now three lines.';
  const means = isLong
    ? `To go back to three lines: ${commandCode('alerts short')}.`
    : `The rest is behind Details. To see everything at once: ${commandCode('alerts long')}.`;
  return headed(what, means);
}
