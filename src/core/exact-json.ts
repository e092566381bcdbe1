/** Enough digits to lose precision as a number. Most texts have no run this long. */
const longDigits = /\d{16}/;

/** Strings, which stay unchanged, and integers of 16 or more digits. */
const stringOrLongInteger = /"(?:[^"\\]|\\.)*"|(?<![\w.+-])-?[1-9]\d{15,}(?![\w.])/g;

/**
 * `JSON.parse` that keeps every digit: an integer that JavaScript cannot represent becomes a string. (The service's ids
 * have 64 bits.)
 *
 * @throws SyntaxError
 */
export function parseExactly(text: string): unknown {
  const value: unknown = JSON.parse(text);
  // The text is valid JSON at this point, so quotes reliably delimit strings.
  return longDigits.test(text) ? JSON.parse(text.replaceAll(stringOrLongInteger, asText)) : value;
}

function asText(token: string): string {
  return token.startsWith('"') || Number.isSafeInteger(Number(token)) ? token : `"${token}"`;
}
