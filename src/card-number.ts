/**
 * Finding card numbers in text that should not hold any.
 *
 * A run of 13 to 19 digits that passes Luhn is taken for one, also when written in groups ("4111 1111 1111 1111").
 * Wrong alarms cost four readable digits; a miss costs much more.
 */

const mayHoldOne = /\d(?:[ .\-_]?\d){12}/;
/** A maximal run of digits with at most one separator between two of them. */
const digitGroups = /\d(?:[ .\-_]?\d){12,}/g;

/** Replaces every card number in `text` by `[card ••1111]`. */
export function maskCardNumbers(text: string): string {
  if (!mayHoldOne.test(text)) return text;
  return text.replace(digitGroups, maskRun);
}

/** True when `digits` (digits only) has the length of a card number and its check digit is right. */
export function isCardNumber(digits: string): boolean {
  if (digits.length < 13 || digits.length > 19) return false;
  let sum = 0;
  for (let index = 0; index < digits.length; index += 1) {
    const digit = digits.charCodeAt(digits.length - 1 - index) - 48;
    const weighed = index % 2 === 1 ? digit * 2 : digit;
    sum += weighed > 9 ? weighed - 9 : weighed;
  }
  return sum % 10 === 0;
}

/**
 * A run may hold more than the number ("4111 1111 1111 1111 123"), so every sequence of whole groups is tried, the
 * longest first. A run without separators is one group: a 22-digit tracking number is not searched for a card inside.
 */
function maskRun(run: string): string {
  const groups = [...run.matchAll(/\d+/g)].map((match) => ({
    digits: match[0],
    start: match.index,
    end: match.index + match[0].length,
  }));
  for (let length = groups.length; length > 0; length -= 1) {
    for (let first = 0; first + length <= groups.length; first += 1) {
      const part = groups.slice(first, first + length);
      const digits = part.map((group) => group.digits).join('');
      if (!isCardNumber(digits)) continue;
      const start = part[0]?.start ?? 0;
      const end = part.at(-1)?.end ?? run.length;
      const before = maskCardNumbers(run.slice(0, start));
      return `${before}[card ••${digits.slice(-4)}]${maskCardNumbers(run.slice(end))}`;
    }
  }
  return run;
}
