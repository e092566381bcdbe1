/**
 * Who can read a message: everybody in the company, the members of a private channel, one person (direct or seen by the
 * asker only), or another company as well (Slack Connect).
 */
export const places = ['public', 'private', 'direct', 'shared'] as const;
export type ChannelVisibility = (typeof places)[number];

interface Shown {
  /** Which card, whose, where, how much and why: anything beyond that something happened. */
  readonly details: boolean;
  /** Why a card was declined, where that helps somebody who is not its holder: the PIN. */
  readonly sensitiveReason: boolean;
  /** How much money is on a card. */
  readonly balance: boolean;
}

const shown: Readonly<Record<ChannelVisibility, Shown>> = {
  public: { details: true, sensitiveReason: false, balance: false },
  private: { details: true, sensitiveReason: false, balance: true },
  direct: { details: true, sensitiveReason: true, balance: true },
  shared: { details: false, sensitiveReason: false, balance: false },
};

export function mayShow(what: keyof Shown, place: ChannelVisibility): boolean {
  return shown[place][what];
}
