interface Token {
  readonly type: 'word' | 'quoted' | '(' | ')' | ',';
  readonly text: string;
}

/**
 * Words, texts in straight or typographic quotes, parentheses, commas. `key:value` is two tokens. A comma belongs to a
 * number only in an amount: `over 1,250`, but `category 5812,5813`. `>500` is two tokens, too.
 */
const tokens =
  /["“”„«»]([^"“”„«»]*)(?:["“”„«»]|$)|([()])|(,)|((?:group|holder|merchant|category|country|code|min|max)(?=:)):|[<>]|((?:[^\s(),<>"“”„«»]|(?<=(?:\b(?:over|above|under|below|min|max|least|most|than)[\s:]+|[<>]\s*)\$?\s?[\d,.]*\d),(?=\d))+)/giu;

/** A text is no filter. The message is for the person who typed it: one sentence, what is wrong and what was expected. */
export class Unreadable extends Error {}

export function tokensOf(text: string): Token[] {
  return [...text.matchAll(tokens)].map(([whole, quoted, bracket, comma, key, word]): Token => {
    if (quoted !== undefined) return { type: 'quoted', text: quoted.trim().replaceAll(/\s+/gu, ' ') };
    if (bracket !== undefined) return { type: bracket === '(' ? '(' : ')', text: bracket };
    return comma === undefined ? { type: 'word', text: key ?? word ?? whole } : { type: ',', text: comma };
  });
}

/** A position in the tokens of a filter. */
export type Cursor = ReturnType<typeof createCursor>;

export function createCursor(tokens: readonly Token[]) {
  let at = 0;
  let list = { from: 0, to: 0 };
  const typed = (from: number, to: number): string =>
    tokens
      .slice(from, to)
      .map(({ type, text }) => (type === 'quoted' ? `"${text}"` : text))
      .join(' ')
      .replaceAll(' ,', ',');
  return {
    /** The text of the current token; empty at the end. */
    text: () => tokens[at]?.text ?? '',
    /** The next tokens as typed. */
    typed: (count: number) => typed(at, at + count),
    /** Where it is, for {@link endList}. */
    position: () => at,
    /** A condition with one or more values ended here. @param from where it began. */
    endList(from: number): void {
      list = { from, to: at };
    },
    /** The condition with values that ended directly before this token, or before the “and” or “or” in front; empty: none. */
    listBefore(): string {
      const isLinked = /^(and|or)$/i.test(tokens[at - 1]?.text ?? '');
      return list.to > 0 && list.to === (isLinked ? at - 1 : at) ? typed(list.from, list.to) : '';
    },
    /** The current word, or the word `ahead` tokens later, in lower case; empty when there is none. */
    word(ahead = 0): string {
      const token = tokens[at + ahead];
      return token?.type === 'word' ? token.text.toLowerCase() : '';
    },
    isType: (...types: Token['type'][]) => types.some((type) => tokens[at]?.type === type),
    /** The token before is of this type. */
    isBehind: (type: Token['type']) => tokens[at - 1]?.type === type,
    isAtEnd: () => at >= tokens.length,
    advance(count = 1): void {
      at += count;
    },
    /** @throws Unreadable at the current token. */
    fail(expected: string): never {
      const token = tokens[at];
      if (token === undefined) throw new Unreadable(`Something is missing at the end: I expected ${expected}.`);
      throw new Unreadable(`I do not understand “${token.text.slice(0, 40)}” here: I expected ${expected}.`);
    },
  };
}
