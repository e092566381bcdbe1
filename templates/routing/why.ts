import { type EventLogStep, POSTED_WITH } from '../../src/alerts/event-log.ts';
import { commandCode } from '../../src/core/installation.ts';
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
  /** Of the alerts whose messages count it as a repeat, each in the channel where it does. */
  readonly ofFirst: readonly EventLogStep[];
  readonly posted: readonly { readonly channel: string; readonly at: string; readonly link: string | null }[];
  /** How many more alerts the message shows that the person asked about, after the last one that is explained. */
  readonly others: number;
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
export function why({ id, what, callbackAt, receivedAt, isLate, times, steps, ofFirst, posted, others }: Why): Message {
  const places = [...new Set(posted.map(({ channel }) => channel))];
  const recovered = isLate ? 'Its webhook was missed and fetched after a gap, or did not fit and was replayed.' : null;
  const ending =
    places.length === 0 ? whyNowhere(steps, ofFirst) : `It was posted in ${countOf(places.length, 'place')}.`;
  const more =
    others === 0
      ? null
      : `That message shows ${countOf(others, 'more alert')}. To see how one was routed, write its id: ${commandCode('why evt_…')}`;
  const lines = [...steps.map((step) => stepLine(step)), ...posted.map(postedLine)];
  const { shown, left } = asManyAsFit(lines.map((line) => section(line)));
  return {
    text: sentence(`${id}: ${what}`, recovered, ending, more),
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
      ...context(left === 0 ? null : `… and ${countOf(left, 'more step')}.`, more),
    ],
  };
}

/**
 * No message shows it. Each channel that is to get it is looked at separately: it waits there unless a mute keeps it out, or it
 * was posted there, alone, with others, or counted by the message of the first try.
 */
function whyNowhere(steps: Why['steps'], ofFirst: Why['ofFirst']): string {
  const channelsOf = (is: (step: EventLogStep) => boolean, of = steps): Set<string | null> =>
    new Set(of.filter(is).map(({ channel }) => channel));
  const postedIn = channelsOf(wasPosted, [...steps, ...ofFirst]);
  const mutedIn = channelsOf(({ step }) => step === 'muted');
  const movedFrom = channelsOf(({ step }) => step === 'redirected');
  const routedTo = channelsOf(({ step }) => step === 'routed');
  const isPosted = postedIn.size > 0;
  const waits = [...routedTo].some(
    (channel) => !mutedIn.has(channel) && !postedIn.has(channel) && !(movedFrom.has(channel) && isPosted),
  );
  if (!isPosted) return `It has not been posted anywhere${waits ? ' yet' : ''}.`;
  return `It was posted, but its message is gone.${waits ? ' It has not been posted everywhere yet.' : ''}`;
}

const wasPosted = ({ step, text }: EventLogStep): boolean =>
  step === 'posted' || (step === 'grouped' && text.startsWith(POSTED_WITH));

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
