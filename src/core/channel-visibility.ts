/**
 * Who can read a message: everyone in the company, the members of a private channel, one person (in a direct or
 * ephemeral message), or another company too (Slack Connect).
 */
export const places = ['public', 'private', 'direct', 'shared'] as const;
export type ChannelVisibility = (typeof places)[number];

interface Shown {
  /** Which card, whose, where, how much and why: everything except that something happened. */
  readonly details: boolean;
  /** A decline reason that would help a thief: the PIN. */
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
