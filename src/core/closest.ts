/** How many letters have to be added, dropped, replaced, or swapped with the next one. */
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

/** The word that somebody probably meant; null where none is near: one letter off, or two of a longer word. */
export function closest(typed: string, words: readonly string[]): string | null {
  if (typed.length > 30) return null;
  const near = words
    .map((word) => ({ word, off: distance(typed.toLowerCase(), word) }))
    .filter(({ word, off }) => off <= (word.length > 4 ? 2 : 1))
    .toSorted((a, b) => a.off - b.off);
  return near[0]?.word ?? null;
}

/** True for a word with one letter missing, one too many, or two swapped; another letter makes another word (`tours`). */
export function isMisspelt(typed: string, words: readonly string[]): boolean {
  const letters = (word: string): string => word.split('').toSorted().join('');
  return words.some((word) => {
    if (typed[0] !== word[0] || distance(typed, word) !== 1) return false;
    // Of a short word, a letter more or less is a word of its own: `dad`, `mint`.
    return typed.length === word.length ? letters(typed) === letters(word) : word.length > 3;
  });
}
