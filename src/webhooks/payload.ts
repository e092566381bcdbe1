import { z } from 'zod';
import { isCardNumber } from '../core/card-number.ts';
import { contentId } from '../core/content-id.ts';
import { PayloadError } from '../core/errors.ts';
import { redactIdentifier, redactText } from '../core/redact-text.ts';
import { toInstant } from '../core/service-time.ts';
import { carrierOfForm } from '../core/tracking-number.ts';

/**
 * Parts of the webhook schemas. They are tolerant: unknown fields pass, missing fields are null, and numbers may be
 * text. Only a field of the wrong type is rejected, and only if the event needs it: see `readPayload`.
 *
 * Each part has a form, which checks, and a reader, which converts. Nearly all webhooks are network transactions, so
 * their schema uses only forms and their mapping calls the readers: in a schema, a transform costs more than the check
 * itself. The schemas of the other kinds combine both.
 */

/**
 * The most characters of a text that are searched. The service's texts are shorter, and searching 256 KB for card numbers
 * would take longer than a receiver may take to answer.
 */
export const TEXT_LENGTH_MAX = 4000;

type QuickCheck = (value: unknown) => boolean;

const quickChecks = new WeakMap<z.ZodType, QuickCheck>();

/**
 * Adds a check to a form that costs much less. It accepts only values that the form returns as they are, and need not
 * accept all of those.
 */
export function withQuickCheck<Form extends z.ZodType>(form: Form, check: QuickCheck): Form {
  quickChecks.set(form, check);
  return form;
}

function quickCheckOf(form: z.ZodType): QuickCheck {
  const check = quickChecks.get(form);
  if (check === undefined) throw new Error('a form has no quick check');
  return check;
}

/**
 * The quick check of an object: what passes can be read as it is, without the schema.
 *
 * @throws Error when a field has no quick check.
 */
export function quickCheckOfObject<Shape extends z.core.$ZodLooseShape & Readonly<Record<string, z.ZodType>>>(
  schema: z.ZodObject<Shape>,
): (value: unknown) => value is z.output<typeof schema> {
  const names = Object.keys(schema.shape);
  const checks = Object.values(schema.shape).map(quickCheckOf);
  return (value): value is z.output<typeof schema> => {
    if (!isObject(value)) return false;
    const given = value as Readonly<Record<string, unknown>>;
    // Not `every`: this runs for each field of each webhook.
    for (let at = 0; at < checks.length; at += 1) if (checks[at]?.(given[names[at] ?? '']) !== true) return false;
    return true;
  };
}

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);
const isMissing = (value: unknown): boolean => value === null || value === undefined;

export const textForm = withQuickCheck(z.string().nullish(), (value) => typeof value === 'string' || isMissing(value));
type TextForm = z.infer<typeof textForm>;
export const requiredTextForm = withQuickCheck(z.string(), (value) => typeof value === 'string');

/** Text that people may see: trimmed, without card numbers and secrets. Empty when absent. A longer text is cut. */
export function readWords(text: TextForm): string {
  const trimmed = text?.trim() ?? '';
  return redactText(trimmed.length > TEXT_LENGTH_MAX ? cut(trimmed) : trimmed);
}

/** Ends with a letter: half of a card number would not be recognized as one. */
function cut(text: string): string {
  return /^.*\p{L}/su.exec(text.slice(0, TEXT_LENGTH_MAX))?.[0] ?? '';
}

export const words = textForm.transform(readWords);

/**
 * An identifier by contract, such as a merchant id: trimmed, and unchanged unless it could be a card number. A JSON
 * number is accepted only if it kept all of its digits.
 */
export const identifierForm = withQuickCheck(
  z.union([z.string().max(TEXT_LENGTH_MAX), z.int()]).nullish(),
  (value) =>
    isMissing(value) || (typeof value === 'string' ? value.length <= TEXT_LENGTH_MAX : Number.isSafeInteger(value)),
);

export function readIdentifier(text: z.infer<typeof identifierForm>): string {
  return text == null ? '' : redactIdentifier(String(text).trim());
}

export const identifier = identifierForm.transform(readIdentifier);

/**
 * A tracking number in a carrier's format is not a card number, whatever its check digit says. Two formats prove little:
 * one in ten numbers of American Express (15 digits, 34 or 37 first) passes for one of FedEx, and any digits after `JD`
 * for one of DHL.
 */
export function readTrackingNumber(text: z.infer<typeof identifierForm>): string {
  const number = text == null ? '' : String(text).trim();
  const plain = number.replaceAll(/[\s-]/g, '').toUpperCase();
  const mayBeCard = /^(?:J?JD|3[47])/.test(plain) && isCardNumber(plain.replace(/^J?JD/, ''));
  return carrierOfForm(plain) === null || mayBeCard ? redactIdentifier(number) : number;
}

export const trackingNumber = identifierForm.transform(readTrackingNumber);

/** The service's ids are 32-bit numbers. This leaves room for growth, but not for a card number in the wrong field. */
const ID_MAX = 999_999_999_999;

/** A whole number such as an id, also as text. */
const integerForm = z.union([z.int().min(-ID_MAX).max(ID_MAX), z.string().regex(/^\s*-?\d{1,12}\s*$/)]);

/** Never minus zero, which JSON does not keep. */
export function readInteger(value: z.infer<typeof integerForm>): number {
  return Number(value) + 0;
}

export const positiveForm = withQuickCheck(
  z.union([
    z.int().positive('expected a positive id').max(ID_MAX),
    z.string().regex(/^\s*(?=\d{1,12}\s*$)0*[1-9]/, 'expected a positive id'),
  ]),
  (value) => Number.isSafeInteger(value) && Number(value) > 0 && Number(value) <= ID_MAX,
);

const integer = integerForm.transform(readInteger);
export const positive = positiveForm.transform(readInteger);

/** A whole number that may be null, missing or empty. */
export const optionalInteger = z
  .union([integer, z.literal('')])
  .nullish()
  .transform((value) => (typeof value === 'number' ? value : null));

/** Decimal dollars, also as text. Like ids, too short for a card number. */
export const decimalForm = withQuickCheck(
  z.union([z.number().min(-ID_MAX).max(ID_MAX), z.string().regex(/^\s*-?\d{1,10}(\.\d{1,6})?\s*$/)]),
  (value) => typeof value === 'number' && Math.abs(value) <= ID_MAX,
);

/** A decimal that may be null, missing or empty. */
export const optionalDecimalForm = withQuickCheck(
  z.union([decimalForm, z.string().regex(/^\s*$/)]).nullish(),
  (value) => isMissing(value) || (typeof value === 'number' && Math.abs(value) <= ID_MAX),
);

export function readOptionalDecimal(value: z.infer<typeof optionalDecimalForm>): number | null {
  if (typeof value === 'number') return value;
  return value == null || value.trim() === '' ? null : Number(value);
}

export const optionalDecimal = optionalDecimalForm.transform(readOptionalDecimal);

/** First and last name, redacted again after joining: each half of a card number looks harmless. */
export function fullName({ FirstName, LastName }: { FirstName: string; LastName: string }): string {
  return redactText(`${FirstName} ${LastName}`.trim());
}

/** True when pieces next to each other show a secret that none of them holds, or are too long to be searched. */
export function isSplit(pieces: readonly unknown[], redactPiece: (text: string) => string): boolean {
  if (pieces.length < 2) return false;
  if (pieces.join(' ').length > TEXT_LENGTH_MAX) return true;
  const parts = pieces.map((piece) => redactPiece(String(piece))).join(' ');
  return redactPiece(parts) !== parts;
}

/** Merchants without a shop have one as their city. Behind a store number it may look like the rest of a card number. */
export function isPhoneNumber(text: string): boolean {
  return /^\s*(?:\+?1[ .-]?)?\(?[2-9]\d\d\)?[ .-]?[2-9]\d\d[ .-]?\d{4}\s*$/.test(text);
}

/**
 * An object with any fields, passed through unchanged. A record schema would copy it into an object that is slower to
 * read, for every webhook.
 */
const anyObject = withQuickCheck(z.custom<Readonly<Record<string, unknown>>>(isObject, 'expected an object'), isObject);

/** The envelope of every webhook kind. */
export const Envelope = z.object({ CallbackTime: requiredTextForm, Data: anyObject });

/** What we know about a webhook besides its payload. */
export interface WebhookContext {
  /** Time zone of datetimes without an offset. */
  readonly zone: string;
  /** `X-SERVICE-Version`, if sent. */
  readonly version: string | undefined;
  /** `CallbackTime`, absolute. */
  readonly callbackAt: string;
  /** When the webhook arrived, absolute. */
  readonly receivedAt: string;
  /** Hears which fields were ignored, and why: their names and what was expected, never the values. */
  readonly onIgnored?: ((issues: readonly string[]) => void) | undefined;
}

/** @throws PayloadError with the paths and what was expected there, never the values. */
export function parseWith<T extends z.ZodType>(schema: T, data: unknown): z.output<T> {
  const result = schema.safeParse(data);
  if (result.success) return result.data;
  throw new PayloadError(issuesOf(result.error));
}

/**
 * Like {@link parseWith}, but what does not fit in an inessential field is ignored: it counts as not given.
 *
 * @param inessential names of fields, also of those in lists. Each of them may be null.
 */
export function readPayload<T extends z.ZodType>(
  schema: T,
  data: unknown,
  inessential: ReadonlySet<string>,
  onIgnored?: WebhookContext['onIgnored'],
): z.output<T> {
  const result = schema.safeParse(data);
  if (result.success) return result.data;
  const paths = result.error.issues.map(({ path }) => path);
  const issues = issuesOf(result.error);
  if (!paths.every((path) => inessential.has(String(path.at(-1))))) throw new PayloadError(issues);
  const payload = parseWith(schema, paths.reduce(withoutField, data));
  onIgnored?.(issues);
  return payload;
}

/** A copy in which the value at a path is null. */
function withoutField(value: unknown, [key, ...rest]: readonly PropertyKey[]): unknown {
  if (key === undefined) return null;
  const copy: unknown = Array.isArray(value) ? [...value] : { ...(value as object) };
  const fields = copy as Record<PropertyKey, unknown>;
  fields[key] = withoutField(fields[key], rest);
  return copy;
}

function issuesOf(error: z.ZodError): string[] {
  return error.issues.map((issue) => {
    const path = issue.path.map((key) => (typeof key === 'number' ? '[]' : String(key))).join('.');
    // zod's messages name types and rules, never the given value.
    const said = issue.message.replace(/^Invalid input: /, '').replace(/, received undefined$/, ', but it is missing');
    // A pattern tells only programmers what was expected.
    const isRaw = said.includes('must match pattern');
    const what = issue.code === 'invalid_union' ? 'not of an expected type' : isRaw ? 'not of an expected form' : said;
    return `${path === '' ? 'the payload' : path}: ${what}`;
  });
}

/**
 * Converts a datetime of the service to an absolute time.
 *
 * @throws PayloadError naming the field when it is not a datetime.
 */
export function instantOf(field: string, text: string, zone: string, sentAt?: string): string {
  const instant = toInstant(text, zone, sentAt);
  if (instant === null) throw new PayloadError([`${field}: expected an ISO 8601 datetime`]);
  return instant;
}

/**
 * The id of an event, made from its content because the service sends none. Must not include the request's id: each
 * retry has a new one.
 */
export function eventId(parts: readonly (string | number | null)[]): string {
  return contentId('evt_', parts);
}
