import type { EventLogStep } from '../../src/alerts/event-log.ts';
import type { Message } from '../../src/slack/message.ts';
import { channelMention, dateAfter, dateToken, link, mention } from '../../src/slack/mrkdwn.ts';
import { asManyAsFit, context, countOf, escapeUntrusted, header, section, sentence } from '../core/blocks.ts';

interface Why {
  /** The event's id. */
  readonly id: string;
  /** The alert in one sentence, as this person may see it; mrkdwn, escaped. */
  readonly what: string;
  readonly callbackAt: string;
  readonly receivedAt: string;
  /** Fetched after a gap, or replayed from quarantine. */
  readonly isLate: boolean;
  /** How often the card service delivered it; 0 when no longer known. */
  readonly times: number;
  /** Oldest first. */
  readonly steps: readonly EventLogStep[];
  readonly posted: readonly { readonly channel: string; readonly at: string; readonly link: string | null }[];
}

const stepWords: Readonly<Record<EventLogStep['step'], string>> = {
  routed: 'Routed to',
  skipped: 'Skipped',
  muted: 'Not posted in',
  held: 'Waits in',
  grouped: 'Grouped in',
  posted: 'Posted in',
  redirected: 'Moved away from',
  refused: 'Refused in',
};

/** The history of one event: deduplication, routing, mutes, quiet hours, grouping and delivery. */
export function why({ id, what, callbackAt, receivedAt, isLate, times, steps, posted }: Why): Message {
  const places = [...new Set(posted.map(({ channel }) => channel))];
  const recovered = isLate ? 'Its webhook was missed and fetched after a gap, or did not fit and was replayed.' : null;
  const ending = places.length === 0 ? whyNowhere(steps) : `It was posted in ${countOf(places.length, 'place')}.`;
  const lines = [...steps.map((step) => stepLine(step)), ...posted.map(postedLine)];
  const { shown, left } = asManyAsFit(lines.map((line) => section(line)));
  return {
    text: sentence([`${id}: ${what}`, recovered, ending].filter(Boolean).join(' ')),
    blocks: [
      header(`How ${id} was routed`),
      section(what),
      section(
        recovered === null
          ? `*Received*${dateAfter(',', receivedAt)}; ${dateAfter('the card service sent it', callbackAt)}.`
          : `*Recovered*${dateAfter(',', receivedAt)}. ${recovered} If its webhook still arrives, it is ignored.`,
        recovered === null ? deliveredWords(times) : null,
      ),
      ...shown,
      ...(posted.length === 0 ? [section(`*${ending}*`)] : []),
      ...context(left === 0 ? null : `… and ${countOf(left, 'more step')}.`),
    ],
  };
}

/** No message shows it. It waits if a channel is to get it and no mute keeps it out of there. */
function whyNowhere(steps: Why['steps']): string {
  if (steps.some(({ step }) => step === 'posted')) return 'It was posted, but its message is gone.';
  const mutedIn = new Set(steps.filter(({ step }) => step === 'muted').map(({ channel }) => channel));
  const waits = steps.some(({ step, channel }) => step === 'routed' && !mutedIn.has(channel));
  return `It has not been posted anywhere${waits ? ' yet' : ''}.`;
}

function deliveredWords(times: number): string {
  if (times > 1) return `*Delivered ${countOf(times, 'time')}*: repeats are ignored.`;
  return times === 1 ? 'Delivered once.' : 'How often it was delivered is kept for a week only.';
}

/** One step: what, where and when, and the reason in at most `textMax` characters. */
export function stepLine({ step, at, channel, text }: EventLogStep, textMax = 500): string {
  const where = channel === null ? '' : ` ${channelMention(channel)}`;
  const what = `*${stepWords[step]}*${where}${dateAfter(',', at, '{date_short_pretty} {time_secs}')}.`;
  return step === 'posted' ? what : `${what} ${tokens(escapeUntrusted(text, textMax))}`;
}

/** Where it is shown now. The steps above show how it got there. */
function postedLine({ channel, at, link: address }: Why['posted'][number]): string {
  return address === null
    ? `*Shown* in ${channelMention(channel)}${dateAfter(',', at)}`
    : `*Shown* in ${channelMention(channel)}: ${link(address, 'open the message')}`;
}

/** Restores tokens for people, channels and times in our own text, after all of it was escaped. */
function tokens(text: string): string {
  return text
    .replaceAll(/&lt;@([UW][A-Z0-9]+)&gt;/g, (_whole, userId: string) => mention(userId))
    .replaceAll(/&lt;#([CGD][A-Z0-9]+)&gt;/g, (_whole, channel: string) => channelMention(channel))
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, (instant) => dateToken(instant));
}
