import { kindTraits, type WebhookKind } from '../../src/core/event.ts';
import { capital } from '../../src/core/first-letter.ts';
import { commandCode, serviceTime } from '../../src/core/installation.ts';
import { joinWithAnd } from '../../src/core/join-with-and.ts';
import { countryInSentence } from '../../src/core/merchant-category.ts';
import type { Mute } from '../../src/routing/mute-store.ts';
import type { Message } from '../../src/slack/message.ts';
import { channelMention, dateAfter, mention } from '../../src/slack/mrkdwn.ts';
import {
  context,
  countOf,
  escapeUntrusted,
  headed,
  header,
  pageOf,
  pageWords,
  section,
  sentence,
} from '../core/blocks.ts';
import { cardCommand, cardOfHolder } from '../core/card-words.ts';

/** The name "travel mute" sounds like a permission to travel. */
const NO_PERMISSION = 'This does not allow purchases abroad';

/**
 * A card, or its declines on a trip, are now muted.
 *
 * @param beside its mute if this is a travel mute, and the other way round: the mute comes first.
 */
export function muteSet(mute: Mute, beside: Mute | null = null): Message {
  const { endsAt } = mute;
  const card = cardOfHolder(mute.card);
  const what = mute.kind === 'mute' ? `${card} is muted` : `Declines of ${card} in ${countriesOf(mute)} are hidden`;
  const means = mute.kind === 'mute' ? meansMute(beside) : meansTravelMute(mute, beside);
  return {
    text: sentence(`${what} until ${serviceTime(endsAt)}.`, mute.kind === 'mute' ? null : `${NO_PERMISSION}.`),
    blocks: [
      section(
        `*${what} ${dateAfter('until', endsAt)}.*`,
        means,
        `This ends automatically. To end it now: ${cardCommand('unmute', mute.card)}`,
      ),
      ...context(
        mute.reason === '' ? null : `Reason: ${escapeUntrusted(mute.reason, 300)}`,
        `See all: ${commandCode('mutes')}`,
      ),
    ],
  };
}

function meansMute(travelMute: Mute | null): string {
  const by = travelMute === null ? null : mention(travelMute.by);
  const unsent = by === null ? '' : ` While it is muted, ${by} gets no declines from their travel mute.`;
  return `Its alerts are counted but not posted in channels; the cardholder still gets direct messages. Changes of its status, suspected fraud and a wrong PIN are still posted, and everything while a fraud case is open.${unsent}`;
}

function meansTravelMute({ endsAt }: Mute, muted: Mute | null): string {
  const these = 'declines that the trip explains (purchases abroad not allowed, or in person in these countries)';
  const still = `*${NO_PERMISSION}*: the card’s rules stay as they are.`;
  if (muted === null)
    return `${capital(these)} go to you and the cardholder, not to the channels. Everything else is posted as usual, also suspected fraud and wrong PINs. ${still}`;
  const after = muted.endsAt < endsAt ? '; after that, also to you' : '';
  return `The card is also muted ${dateAfter('until', muted.endsAt)}. Until then, ${these} go only to the cardholder${after}. ${still}`;
}

interface MuteEnded {
  readonly mutes: readonly Mute[];
  /** Of a travel mute: until when (UTC ISO 8601) the card is muted anyway; null: it is not. */
  readonly stillMuted?: string | null;
  /** Slack user who ended it early; null: it expired. Absent in the answer to the person who ended it. */
  readonly endedBy?: string | null;
  /** The channel that did not get the alerts: another one may get this message instead. Absent in that answer, too. */
  readonly channel?: string;
  /** Kind of each alert that it withheld. Absent: not known any more. */
  readonly kinds?: readonly WebhookKind[];
}

/** Mutes that have ended, and the alerts they withheld. */
export function muteEnded({ mutes, stillMuted = null, endedBy, channel, kinds }: MuteEnded): Message {
  const [mute] = mutes;
  if (mute === undefined) return headed('This card is not muted.', 'Nothing changed.');
  const card = cardOfHolder(mute.card);
  const what =
    mutes.length > 1
      ? `All mutes of ${card} have ended.`
      : mute.kind === 'mute'
        ? `The mute of ${card} has ended.`
        : `The travel mute of ${card} has ended${stillMuted === null ? ': the channels get these declines again' : ''}.`;
  const still = (until: (at: string) => string): string =>
    stillMuted === null
      ? ''
      : `While the card is muted (${until(stillMuted)}), the channels do not get these declines. `;
  const kept = kinds === undefined ? '' : withheldWords(kinds, howWithheld(mute, channel));
  const see = kinds?.includes('decline') ? ` See them: ${cardCommand('declines', mute.card, ' 90d')}` : '';
  return {
    text: sentence(`${what} ${still((at) => `until ${serviceTime(at)}`)}${kept}`.trim()),
    blocks: [
      section(`*${what}*`, `${still((at) => dateAfter('until', at))}${kept}${see}`),
      ...context(
        `Set by ${mention(mute.by)}${dateAfter(',', mute.at)}`,
        endedBy == null ? null : `Ended by ${mention(endedBy)}`,
        mute.reason === '' ? null : `Reason: ${escapeUntrusted(mute.reason, 300)}`,
      ),
    ],
  };
}

function howWithheld({ kind }: Mute, channel: string | undefined): string {
  if (channel === undefined) return 'held back';
  return kind === 'mute' ? `not posted in ${channelMention(channel)}` : 'sent to you instead';
}

/** `4 alerts were held back in that time: 3 declines, 1 settlement.` */
function withheldWords(kinds: readonly WebhookKind[], how: string): string {
  if (kinds.length === 0) return `No alerts were ${how}.`;
  return `${countOf(kinds.length, 'alert')} ${kinds.length === 1 ? 'was' : 'were'} ${how} in that time: ${counts(kinds)}.`;
}

/** For a person whose unmute is answered only after others may have changed more. */
export function notMuted(): Message {
  return headed('This card is not muted any more.');
}

/** `count`: how many alerts it has withheld so far. */
type CountedMute = Mute & { readonly count: number };

/** Every mute and travel mute. */
export function muteList({ mutes, page }: { mutes: readonly CountedMute[]; page: number }): Message {
  const shown = pageOf(
    mutes.map((mute) => section(...linesOf(mute))),
    page,
  );
  const title = mutes.length === 0 ? 'No mutes' : countOf(mutes.length, 'mute');
  return {
    text: sentence(
      `${title}.${mutes.map((mute) => ` ${cardOfHolder(mute.card)} until ${serviceTime(mute.endsAt)}.`).join('')}`,
    ),
    blocks: [
      header(title),
      ...shown.shown,
      ...context(pageWords(shown, 'mutes'), mutes.length === 0 ? null : 'Each ends automatically.'),
    ],
  };
}

function linesOf(mute: CountedMute): string[] {
  const { card, by, reason, at, endsAt, count } = mute;
  const sort = mute.kind === 'mute' ? 'Muted' : `Declines in ${countriesOf(mute)} hidden`;
  return [
    `*${cardOfHolder(card)}*`,
    `${sort} ${dateAfter('until', endsAt)}, by ${mention(by)}${dateAfter(',', at, '{date_short_pretty}')}${reason === '' ? '' : `: “${escapeUntrusted(reason, 200)}”`}`,
    count === 0 ? 'No alerts held back so far' : `${countOf(count, 'alert')} held back so far`,
  ];
}

function countriesOf({ countries }: Extract<Mute, { kind: 'travel' }>): string {
  return escapeUntrusted(joinWithAnd(countries.map(countryInSentence)), 200);
}

/** Kinds with different names here than in a list of alerts. */
const ownNouns: Readonly<Partial<Record<WebhookKind, readonly [one: string, many: string]>>> = {
  authorization: ['authorization', 'authorizations'],
  'virtual-card': ['virtual card order', 'virtual card orders'],
};

/** `4 declines, 1 settlement`. */
function counts(kinds: readonly WebhookKind[]): string {
  return [...new Set(kinds)]
    .map((kind) => {
      const count = kinds.filter((each) => each === kind).length;
      const [one, many] = ownNouns[kind] ?? kindTraits[kind].nouns;
      return `${count} ${count === 1 ? one : many}`;
    })
    .join(', ');
}
