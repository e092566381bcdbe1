const list = new Intl.ListFormat('en-US');

/** `a`, `a and b`, `a, b, and c`. */
export function joinWithAnd(words: Iterable<string>): string {
  return list.format(words);
}
