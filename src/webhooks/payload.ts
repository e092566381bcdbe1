import { z } from 'zod';
import { maskCardNumbers } from '../core/card-number.ts';
import { contentId } from '../core/content-id.ts';
import { PayloadError } from '../core/errors.ts';
import { toInstant } from '../core/service-time.ts';

/**
 * Pieces of the webhook schemas. Foreign data is read with tolerance: unknown fields pass, missing ones are null,
 * numbers may come as text. A field of the wrong type does not fit.
 *
 * Each piece is a form, which only says what fits, and a reader, which makes it ours. Network transactions are nearly
 * all that comes: their schema holds forms alone and their mapping reads, because in a schema each transform costs more
 * than the check beside it. The others have both in one.
 */

export const textForm = z.string().nullish();
type TextForm = z.infer<typeof textForm>;

/** Text as people may see it: trimmed, card numbers masked, empty when absent. */
export function readWords(text: TextForm): string {
  return text == null ? '' : maskCardNumbers(text.trim());
}

export const words = textForm.transform(readWords);

/**
 * An identifier by contract (merchant id, tracking number): trimmed and otherwise left alone. As a JSON number only
 * where all of its digits arrived.
 */
export const identifierForm = z.union([z.string(), z.int()]).nullish();

export function readIdentifier(text: z.infer<typeof identifierForm>): string {
  return text == null ? '' : String(text).trim();
}

export const identifier = identifierForm.transform(readIdentifier);

/** The service's own ids are 32-bit numbers. Room to grow, and none for a card number in the wrong field. */
const ID_MAX = 999_999_999_999;

/** A whole number such as an id, also as text. */
export const integerForm = z.union([z.int().min(-ID_MAX).max(ID_MAX), z.string().regex(/^\s*-?\d{1,12}\s*$/)]);

/** Never minus zero: JSON would give it back as another number. */
export function readInteger(value: z.infer<typeof integerForm>): number {
  return Number(value) + 0;
}

/** One or above. */
export const positiveForm = z.union([
  z.int().positive('expected a positive id').max(ID_MAX),
  z.string().regex(/^\s*(?=\d{1,12}\s*$)0*[1-9]/, 'expected a positive id'),
]);

export const integer = integerForm.transform(readInteger);
export const positive = positiveForm.transform(readInteger);

/** A whole number that may be null, missing or empty. */
export const optionalInteger = z
  .union([integer, z.literal('')])
  .nullish()
  .transform((value) => (typeof value === 'number' ? value : null));

/** Decimal dollars, also as text; as with ids, too small to hold a card number. */
export const decimalForm = z.union([
  z.number().min(-ID_MAX).max(ID_MAX),
  z.string().regex(/^\s*-?\d{1,10}(\.\d{1,6})?\s*$/),
]);

export const optionalDecimalForm = decimalForm.nullish();

export function readOptionalDecimal(value: z.infer<typeof optionalDecimalForm>): number | null {
  return value == null ? null : Number(value);
}

export const optionalDecimal = optionalDecimalForm.transform(readOptionalDecimal);

/** First and last name in one, masked again: each half of a number looks harmless. */
export function holderOf({ FirstName, LastName }: { FirstName: string; LastName: string }): string {
  return maskCardNumbers(`${FirstName} ${LastName}`.trim());
}

/**
 * An object with whatever fields, handed on as it is: a record schema copies it into a form that is slow to
 * read, and each webhook pays for that.
 */
const anyObject = z.custom<Readonly<Record<string, unknown>>>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  'Invalid input: expected an object',
);

/** The envelope of every webhook kind. */
export const Envelope = z.object({ CallbackTime: z.string(), Data: anyObject });

/** What a payload is read with, beside its own fields. */
export interface Circumstances {
  /** Zone of datetimes without offset. */
  readonly zone: string;
  /** `X-SERVICE-Version`, if it was sent. */
  readonly version: string | undefined;
  /** `CallbackTime`, absolute. */
  readonly callbackAt: string;
  /** When the webhook arrived, absolute. */
  readonly receivedAt: string;
}

/** Parses with a schema. @throws PayloadError with the paths and what was expected there, never the values. */
export function parseWith<T extends z.ZodType>(schema: T, data: unknown): z.output<T> {
  const result = schema.safeParse(data);
  if (result.success) return result.data;
  throw new PayloadError(issuesOf(result.error));
}

function issuesOf(error: z.ZodError): string[] {
  return error.issues.map((issue) => {
    const path = issue.path.map((key) => (typeof key === 'number' ? '[]' : String(key))).join('.');
    // zod's sentences name types and rules; none of them repeats the value that was given.
    return `${path === '' ? 'the payload' : path}: ${issue.code === 'invalid_union' ? 'not of an expected type' : issue.message}`;
  });
}

/** A datetime of the service made absolute. @throws PayloadError naming the field when it is none. */
export function instantOf(field: string, text: string, zone: string, toldAt?: string): string {
  const instant = toInstant(text, zone, toldAt);
  if (instant === null) throw new PayloadError([`${field}: expected an ISO 8601 datetime`]);
  return instant;
}

/**
 * Identity of an event, made from its content because the service sends none.
 *
 * The transport's ids (Request-Id) must stay out: each retry carries a new one.
 */
export function eventId(parts: readonly (string | number | null)[]): string {
  return contentId('evt_', parts);
}
