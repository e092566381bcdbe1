/** Strings, which stay unchanged, and integers of 16 or more digits. */
const stringOrLongInteger = /"(?:[^"\\]|\\.)*"|(?<![\w.+-])-?[1-9]\d{15,}(?![\w.])/g;

/** Begins, in JSON, the text of a number that is written as one again. No text of the card service begins with it. */
export const NUMBER_MARK = '\\u0000';

/**
 * `JSON.parse` that keeps every digit: an integer that JavaScript cannot represent becomes a string. (The service's ids
 * have 64 bits.)
 *
 * @param mark how that string begins: {@link NUMBER_MARK} if it is written back.
 * @throws SyntaxError
 */
export function parseExactly(text: string, mark = ''): unknown {
  const value: unknown = JSON.parse(text);
  // The text is valid JSON at this point, so quotes reliably delimit strings.
  return mayLackDigits(value)
    ? JSON.parse(text.replaceAll(stringOrLongInteger, (token) => asText(token, mark)))
    : value;
}

/** `JSON.stringify` that writes marked numbers as numbers. */
export function stringifyExactly(value: unknown): string {
  return JSON.stringify(value).replaceAll(/"\\u0000(-?\d+)"/g, '$1');
}

/** Deeper than anything sent on purpose, and far less than the stack allows: only the text is searched. */
const DEPTH_MAX = 100;

/** Faster than searching the text for long numbers, and nearly always false. */
function mayLackDigits(value: unknown, depth = 0): boolean {
  if (typeof value === 'number') return Math.abs(value) > Number.MAX_SAFE_INTEGER;
  if (typeof value !== 'object' || value === null) return false;
  if (depth === DEPTH_MAX) return true;
  for (const key in value) if (mayLackDigits((value as Readonly<Record<string, unknown>>)[key], depth + 1)) return true;
  return false;
}

function asText(token: string, mark: string): string {
  return token.startsWith('"') || Number.isSafeInteger(Number(token)) ? token : `"${mark}${token}"`;
}
