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
  return mayLackDigits(value) ? JSON.parse(text.replaceAll(stringOrLongInteger, asText)) : value;
}

/** Faster than searching the text for long numbers, and nearly always false. */
function mayLackDigits(value: unknown): boolean {
  if (typeof value === 'number') return Math.abs(value) > Number.MAX_SAFE_INTEGER;
  if (typeof value !== 'object' || value === null) return false;
  for (const key in value) if (mayLackDigits((value as Readonly<Record<string, unknown>>)[key])) return true;
  return false;
}

function asText(token: string): string {
  return token.startsWith('"') || Number.isSafeInteger(Number(token)) ? token : `"${token}"`;
}
