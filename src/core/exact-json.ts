/** Enough digits to lose some of them as a number. Most texts have no such run. */
const longDigits = /\d{16}/;

/** Strings, which stay as they are, and whole numbers of 16 digits and more. */
const stringOrLongInteger = /"(?:[^"\\]|\\.)*"|(?<![\w.+-])-?[1-9]\d{15,}(?![\w.])/g;

/**
 * `JSON.parse` that keeps every digit: a whole number that JavaScript cannot represent becomes text. (The service's ids
 * have 64 bits.)
 *
 * @throws SyntaxError
 */
export function parseExactly(text: string): unknown {
  const value: unknown = JSON.parse(text);
  // Quotes distinguish strings from numbers only because the text is known to be valid JSON.
  return longDigits.test(text) ? JSON.parse(text.replaceAll(stringOrLongInteger, asText)) : value;
}

function asText(token: string): string {
  return token.startsWith('"') || Number.isSafeInteger(Number(token)) ? token : `"${token}"`;
}
