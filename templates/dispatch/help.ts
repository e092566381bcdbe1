import type { Message } from '../../src/slack/message.ts';
import { context, header, section, sentence } from '../core/blocks.ts';
import { type HelpEntry, routingHelp } from './help-routing.ts';

/** Every verb of `/card`. A test compares this list with the commands that exist. */
export const helpEntries: readonly HelpEntry[] = [
  { verb: 'help', usage: 'help', example: '/card help', effect: 'this list', who: 'all' },
  {
    verb: 'show',
    usage: 'show CARD',
    example: '/card show 4242',
    effect: 'holder, status, limits and what is left of them, last declines; only you see it',
    who: 'operators',
  },
  {
    verb: 'activate',
    usage: 'activate CARD',
    example: '/card activate Jane Doe',
    effect: 'makes a new card usable; asks first if other cards of the account would end',
    who: 'operators',
  },
  {
    verb: 'block',
    usage: 'block CARD [reason]',
    example: '/card block 4242 lost on the train',
    effect: 'declines everything until the card is unblocked',
    who: 'operators',
  },
  {
    verb: 'unblock',
    usage: 'unblock CARD [reason]',
    example: '/card unblock 4242 found again',
    effect: 'makes a blocked card usable again',
    who: 'approvers',
  },
  {
    verb: 'virtual',
    usage: 'virtual resend CARD',
    example: '/card virtual resend Jane Doe',
    effect: 'has a virtual card’s details sent to your configured receiver again',
    who: 'operators',
  },
  {
    verb: 'virtual',
    usage: 'virtual order [NAME]',
    example: '/card virtual order Jane Doe',
    effect: 'opens a form to order a virtual card; you hear how it went, never the number',
    who: 'approvers',
  },
  {
    verb: 'limit',
    usage: 'limit CARD PERIOD AMOUNT [for DURATION | until midnight | until DATE] [reason]',
    example: '/card limit 4242 daily 450 for 4h team lunch',
    effect: 'sets a daily, weekly, monthly, yearly or lifetime limit; without “for” or “until” it stays',
    who: 'approvers',
  },
  {
    verb: 'ask',
    usage: 'ask [CARD] AMOUNT [for DURATION] [reason]',
    example: '/card ask 300 for 2 days hotel in Denver',
    effect: 'asks the approvers for what it takes to pay that with your own card',
    who: 'all',
  },
  {
    verb: 'link',
    usage: 'link CARD',
    example: '/card link 4242',
    effect: 'says that you hold this card: you get messages about it, and may always block it',
    who: 'all',
  },
  {
    verb: 'link',
    usage: 'link CARD @user',
    example: '/card link 4242 @jane',
    effect: 'says who holds a card; takes effect at once',
    who: 'approvers',
  },
  {
    verb: 'unlink',
    usage: 'unlink CARD',
    example: '/card unlink 4242',
    effect: 'ends that; holders may do it with their own card',
    who: 'approvers',
  },
  {
    verb: 'recover',
    usage: 'recover [SINCE]',
    example: '/card recover 2h',
    effect: 'fetches what was missed since then (a day, if you do not say) and posts it as late',
    who: 'approvers',
  },
  {
    verb: 'digest',
    usage: 'digest daily 09:00 [zone]',
    example: '/card digest weekly monday 09:00',
    effect: 'sums up declines in this channel, every day or week; “now” at once, “off” no more',
    who: 'approvers',
  },
  ...routingHelp,
];

/** What a person may do. An approver may do all that an operator may. */
export interface HelpFor {
  readonly isOperator: boolean;
  readonly isApprover: boolean;
}

const groups: readonly (readonly [HelpEntry['who'], string])[] = [
  ['all', 'For everyone'],
  ['operators', 'For operators'],
  ['approvers', 'For approvers'],
];

export function help({ isOperator, isApprover }: HelpFor): Message {
  const may = { all: true, operators: isOperator || isApprover, approvers: isApprover };
  const withheld = groups.filter(([who]) => !may[who]).map(([who]) => who);
  const verbs = new Set(helpEntries.filter(({ who }) => may[who]).map(({ verb }) => `/card ${verb}`));

  return {
    text: sentence(`What you can ask Cardbell: ${[...verbs].join(', ')}.`),
    blocks: [
      header('What you can ask Cardbell'),
      ...groups
        .filter(([who]) => may[who])
        .map(([who, title]) =>
          section(
            `*${title}*`,
            ...helpEntries
              .filter((entry) => entry.who === who)
              .map(({ usage, effect, example }) => `\`/card ${usage}\` – ${effect}\n        \`${example}\``),
          ),
        ),
      ...context(
        '`/card` alone opens a form: find a card by typing, then choose what to do.',
        'CARD is the last four digits, a card id, an account id, a custom id, or the holder’s name.',
        withheld.length === 0 ? null : `There is more for ${withheld.join(' and ')}. Ask whoever runs Cardbell.`,
      ),
    ],
  };
}
