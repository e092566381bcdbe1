/** Edit distance: letters to add, drop, replace, or swap with a neighbor. */
function distance(one: string, other: string): number {
  let before: number[] = [];
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let i = 0; i < one.length; i += 1) {
    const next = [i + 1];
    for (let j = 0; j < other.length; j += 1) {
      const changed = (row[j] ?? 0) + (one[i] === other[j] ? 0 : 1);
      const isSwapped = i > 0 && j > 0 && one[i] === other[j - 1] && one[i - 1] === other[j];
      const swapped = isSwapped ? (before[j - 1] ?? 0) + 1 : changed;
      next.push(Math.min(changed, swapped, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    [before, row] = [row, next];
  }
  return row.at(-1) ?? 0;
}

/** The word someone probably meant. Null when none is close: one letter off, or two for longer words. */
export function closest(typed: string, words: readonly string[]): string | null {
  if (typed.length > 30) return null;
  const near = words
    .map((word) => ({ word, off: distance(typed.toLowerCase(), word) }))
    .filter(({ word, off }) => off <= (word.length > 4 ? 2 : 1))
    .toSorted((a, b) => a.off - b.off);
  return near[0]?.word ?? null;
}

/**
 * True for a word with one letter missing, one extra, or two swapped. A replaced letter makes a different word
 * (`tours`).
 */
export function isMisspelt(typed: string, words: readonly string[]): boolean {
  const letters = (word: string): string => word.split('').toSorted().join('');
  return words.some((word) => {
    if (typed[0] !== word[0] || distance(typed, word) !== 1) return false;
    // In a short word, one letter more or less makes a different word: `dad`, `mint`.
    return typed.length === word.length ? letters(typed) === letters(word) : word.length > 3;
  });
}
