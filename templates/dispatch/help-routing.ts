export interface HelpEntry {
  /** First word after `/card`. */
  readonly verb: string;
  readonly usage: string;
  readonly example: string;
  readonly effect: string;
  readonly who: 'all' | 'operators' | 'approvers';
}

/** The verbs of `src/dispatch/routing-command.ts`. */
export const routingHelp: readonly HelpEntry[] = [
  {
    verb: 'declines',
    usage: 'declines CARD [7d]',
    example: '/card declines 4242 30d',
    effect: 'every decline of that time, counted by reason; holders may see their own',
    who: 'operators',
  },
  {
    verb: 'track',
    usage: 'track CARD',
    example: '/card track Jane Doe',
    effect: 'where a card is: ordered, shipped, activated or still waiting; holders may see their own',
    who: 'operators',
  },
  {
    verb: 'why',
    usage: 'why EVENT',
    example: '/card why evt_0h3k7m2p9q4r8s5t',
    effect: 'the way of one alert; also with a link to its message, or with a card for its last one',
    who: 'operators',
  },
  {
    verb: 'subscribe',
    usage: 'subscribe KIND [filters]',
    example: '/card subscribe declines over 500 and not (country US or group "Field Ops")',
    effect: 'adds alerts to this channel; what the configuration sends here stays',
    who: 'approvers',
  },
  {
    verb: 'unsubscribe',
    usage: 'unsubscribe [number | KIND | all]',
    example: '/card unsubscribe 3',
    effect: 'takes subscriptions of this channel away',
    who: 'approvers',
  },
  {
    verb: 'subscriptions',
    usage: 'subscriptions [all]',
    example: '/card subscriptions',
    effect: 'what this channel gets, and its quiet hours; with “all”, every channel',
    who: 'approvers',
  },
  {
    verb: 'quiet',
    usage: 'quiet HOURS [ZONE] [DAYS] [except KIND …]',
    example: '/card quiet 22:00-07:00 Europe/Berlin weekdays except declines over 500',
    effect: 'holds this channel’s alerts and posts them together afterwards; “off” ends it',
    who: 'approvers',
  },
  {
    verb: 'mutes',
    usage: 'mutes',
    example: '/card mutes',
    effect: 'every mute and travel notice, with its author and its end',
    who: 'operators',
  },
  {
    verb: 'mute',
    usage: 'mute CARD DURATION [reason]',
    example: '/card mute 4242 3 days trade show',
    effect: 'keeps its alerts out of the channels for a while; a block and a wrong PIN still come',
    who: 'operators',
  },
  {
    verb: 'unmute',
    usage: 'unmute CARD',
    example: '/card unmute 4242',
    effect: 'ends its mute and its travel notice now',
    who: 'operators',
  },
  {
    verb: 'travel',
    usage: 'travel CARD COUNTRY[, COUNTRY] until DATE [reason]',
    example: '/card travel 4242 Spain, PT until May 9',
    effect: 'declines that the journey explains come to you alone',
    who: 'operators',
  },
];
