/** How many letters have to be added, dropped or replaced. */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (const [i, letter] of Array.from(one).entries()) {
    const next = [i + 1];
    for (const [j, also] of Array.from(other).entries()) {
      const changed = (row[j] ?? 0) + (letter === also ? 0 : 1);
      next.push(Math.min(changed, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

/** The word that somebody probably meant; null where none is near: one letter off, or two of a longer word. */
export function closest(typed: string, words: readonly string[]): string | null {
  if (typed.length > 30) return null;
  const near = words
    .map((word) => ({ word, off: distance(typed.toLowerCase(), word) }))
    .filter(({ word, off }) => off <= (word.length > 4 ? 2 : 1))
    .toSorted((a, b) => a.off - b.off);
  return near[0]?.word ?? null;
}
