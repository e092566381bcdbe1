/** A run of digits long enough to lose some of them as a number. Most texts have none, inside strings or out. */
const longDigits = /\d{16}/;

/** Strings, which are left alone, and whole numbers of 16 digits and more. */
const stringOrLongInteger = /"(?:[^"\\]|\\.)*"|(?<![\w.+-])-?[1-9]\d{15,}(?![\w.])/g;

/**
 * `JSON.parse` that keeps every digit: a whole number that JavaScript cannot hold (the service's ids have 64 bits) comes
 * as text. All other values come as they always do.
 *
 * @throws SyntaxError
 */
export function parseExactly(text: string): unknown {
  const value: unknown = JSON.parse(text);
  // Only of what is known to be JSON can strings be told from numbers by their quotes.
  return longDigits.test(text) ? JSON.parse(text.replaceAll(stringOrLongInteger, asText)) : value;
}

function asText(token: string): string {
  return token.startsWith('"') || Number.isSafeInteger(Number(token)) ? token : `"${token}"`;
}
