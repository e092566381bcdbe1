import { WEBHOOK_KINDS, type WebhookKind } from '../../sandbox/webhook/kind.ts';
import { DATA_SCHEMAS } from '../../sandbox/webhook/schema.ts';

export const plantedPan = '4929420573595709';
const encodedPan = btoa(plantedPan).replaceAll('=', '');

/** Notations of one card number by people and programs. */
export const panForms: Readonly<Record<string, string>> = {
  plain: plantedPan,
  spaces: '4929 4205 7359 5709',
  dashes: '4929-4205-7359-5709',
  dots: '4929.4205.7359.5709',
  'no-break spaces': '4929\u00A04205\u00A07359\u00A05709',
  'full-width digits': '４９２９４２０５７３５９５７０９',
  'full-width digits in groups': '４９２９ ４２０５ ７３５９ ５７０９',
  'arabic digits': '٤٩٢٩٤٢٠٥٧٣٥٩٥٧٠٩',
  'four spaces': '4929    4205    7359    5709',
  'empty lines': '4929\r\n\r\n4205\r\n\r\n7359\r\n\r\n5709',
  'middle dots': '4929 · 4205 · 7359 · 5709',
  tildes: '4929~4205~7359~5709',
  colons: '4929: 4205: 7359: 5709',
  'base64 in a path': `HTTPS://A.EXAMPLE/P/${encodedPan}`,
  base64: encodedPan,
  'encoded spaces': '4929%204205%207359%205709',
  'encoded dashes': '4929%2d4205%2d7359%2d5709',
  'invisible characters between': Array.from(plantedPan).join('\u200B'),
};

/** Every payload field of each kind that could contain a card number, and one unknown field. */
export const plantableFields: readonly (readonly [WebhookKind, string])[] = WEBHOOK_KINDS.flatMap((kind) =>
  [...Object.keys(DATA_SCHEMAS[kind].shape), 'FieldOfTomorrow'].map((field) => [kind, field] as const),
);

/** The digits as ASCII, without separators. */
export function digitsOf(text: string): string {
  return text
    .replaceAll(encodedPan, plantedPan)
    .normalize('NFKC')
    .replaceAll(/\p{Nd}/gu, (digit) => String(numeral(digit)))
    .replaceAll(/(?<=\d)(?:[\s\p{Cf}\p{Dash}.·~:]|\\[rn]|%2[0d])+(?=\d)/giu, '');
}

function numeral(digit: string): number {
  const ascii = Number(digit);
  if (!Number.isNaN(ascii)) return ascii;
  // The digits of a script are ten consecutive characters, starting with zero.
  let zero = digit.codePointAt(0) ?? 0;
  while (/\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero -= 1;
  return ((digit.codePointAt(0) ?? 0) - zero) % 10;
}
