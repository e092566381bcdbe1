import { z } from 'zod';
import { maskCardNumbers } from '../card-number.ts';
import { PayloadError } from '../errors.ts';
import { toInstant } from './time.ts';

/**
 * Pieces of the webhook schemas. Foreign data is read with tolerance: unknown fields pass, missing ones are null,
 * numbers may come as text. A field of the wrong type does not fit.
 */

/** Text as people may see it: trimmed, card numbers masked, empty when absent. */
export const words = z
  .string()
  .nullish()
  .transform((text) => (text == null ? '' : maskCardNumbers(text.trim())));

/**
 * An identifier by contract (merchant id, tracking number): trimmed and otherwise left alone. As a JSON number only
 * where all of its digits arrived.
 */
export const identifier = z
  .union([z.string(), z.int()])
  .nullish()
  .transform((text) => (text == null ? '' : String(text).trim()));

const digits = z
  .string()
  .trim()
  .regex(/^-?\d{1,12}$/)
  .transform((text) => Number(text) + 0);

/** The service's own ids are 32-bit numbers. Room to grow, and none for a card number in the wrong field. */
const ID_MAX = 999_999_999_999;

/** A whole number such as an id, also as text. Never minus zero: JSON would give it back as another number. */
export const integer = z.union([
  z
    .int()
    .min(-ID_MAX)
    .max(ID_MAX)
    .transform((id) => id + 0),
  digits,
]);

/** A whole number that may be null, missing or empty. */
export const optionalInteger = z
  .union([integer, z.literal('')])
  .nullish()
  .transform((value) => (typeof value === 'number' ? value : null));

/** Decimal dollars, also as text; as with ids, too small to hold a card number. */
export const decimal = z.union([
  z.number().min(-ID_MAX).max(ID_MAX),
  z
    .string()
    .trim()
    .regex(/^-?\d{1,10}(\.\d{1,6})?$/)
    .transform(Number),
]);

export const optionalDecimal = decimal.nullish().transform((value) => value ?? null);

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
