/** Who can read a message: a public channel, a private channel, or one person (direct or seen by the asker only). */
export type Place = 'public' | 'private' | 'direct';

interface Shown {
  /** Why a card was declined, where that helps somebody who is not its holder: the PIN. */
  readonly sensitiveReason: boolean;
  /** How much money is on a card. */
  readonly balance: boolean;
}

const shown: Readonly<Record<Place, Shown>> = {
  public: { sensitiveReason: false, balance: false },
  private: { sensitiveReason: false, balance: true },
  direct: { sensitiveReason: true, balance: true },
};

export function mayShow(what: keyof Shown, place: Place): boolean {
  return shown[place][what];
}
