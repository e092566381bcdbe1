/**
 * Keeps first attempts of the same key in the order of their making.
 *
 * The queue starts jobs in order but runs many at once; without this, ACTIVE and BLOCKED of one card could overtake
 * each other on the wire. Only first attempts wait: a retry comes whenever it comes, as with the real service.
 */
export function createSequencer() {
  const tails = new Map<string, Promise<void>>();
  const turns = new Map<string, { before: Promise<void>; release: () => void }>();

  return {
    register(key: string, id: string): void {
      const before = tails.get(key) ?? Promise.resolve();
      let release: () => void = () => {};
      const mine = new Promise<void>((resolve) => {
        release = resolve;
      });
      const tail = before.then(() => mine);
      tails.set(key, tail);
      turns.set(id, { before, release });
      void tail.then(() => {
        if (tails.get(key) === tail) tails.delete(key);
      });
    },
    /** Resolves when everything registered before has had its first attempt. */
    async turn(id: string): Promise<void> {
      await turns.get(id)?.before;
    },
    done(id: string): void {
      turns.get(id)?.release();
      turns.delete(id);
    },
  };
}
