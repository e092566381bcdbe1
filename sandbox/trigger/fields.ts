import type { z } from 'zod';
import type { WebhookKind } from '../webhook/kind.ts';
import { CardListEntry, DATA_SCHEMAS } from '../webhook/schema.ts';
import { declineMessage } from './catalogue.ts';

/** A payload with fields set, and remarks about fields that look like a mistake. */
interface FilledPayload {
  readonly data: Record<string, unknown>;
  readonly remarks: readonly string[];
}

/**
 * Sets fields of a payload. Values get the sample's type. Values that do not fit are sent as text anyway, because
 * receivers must be tested with those too.
 */
export function withFields(
  kind: WebhookKind,
  sample: Record<string, unknown>,
  fields: readonly (readonly [name: string, text: string])[],
): FilledPayload {
  const data = structuredClone(sample);
  const schemas: Readonly<Record<string, z.ZodType>> = { ...CardListEntry.shape, ...DATA_SCHEMAS[kind].shape };
  const remarks: string[] = [];
  for (const [name, text] of fields) {
    const card = (data.CardList as Record<string, unknown>[] | undefined)?.[0];
    const target =
      kind === 'card-status' && !(name in data) && name in CardListEntry.shape && card !== undefined ? card : data;
    if (!(name in target)) remarks.push(`${name} is not a field of a ${kind} webhook; it is sent anyway`);
    const example = target[name] ?? exampleOf(schemas[name]);
    const value = toValue(text, example);
    const [sent, expected] = [wordFor(value), wordFor(example)];
    if (sent !== expected && ![sent, expected].includes('nothing'))
      remarks.push(`${name} is sent as ${sent}; the schema expects ${expected}`);
    target[name] = value;
  }
  const given = new Set(fields.map(([name]) => name));
  // Fields that the service keeps equal stay equal, unless set explicitly.
  const isRequestedShown = 'MerchantRequestedAmount' in data && !given.has('MerchantRequestedAmount');
  if (given.has('TransactionAmount') && isRequestedShown) data.MerchantRequestedAmount = data.TransactionAmount;
  if (given.has('MessageCode') && !given.has('Message'))
    data.Message = declineMessage(String(data.MessageCode)) ?? data.Message;
  return { data, remarks };
}

/** JSON in which integers of any size keep all of their digits. */
export function toJson(body: object, indent: number): string {
  const mark = '\u0000';
  const marked = (_key: string, value: unknown): unknown => (typeof value === 'bigint' ? `${mark}${value}` : value);
  return JSON.stringify(body, marked, indent).replaceAll(/"\\u0000(-?\d+)"/g, '$1');
}

/** What a value is, in a remark. Null may stand for anything. */
function wordFor(value: unknown): string {
  if (value === null || value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  switch (typeof value) {
    case 'number':
    case 'bigint':
      return 'a number';
    case 'boolean':
      return 'true or false';
    case 'object':
      return 'an object';
    default:
      return 'text';
  }
}

/** For a field whose sample is null: a value of its type, a number or text. Undefined for an unknown field. */
function exampleOf(schema: z.ZodType | undefined): unknown {
  return schema === undefined ? undefined : schema.safeParse(0).success ? 0 : '';
}

function toValue(text: string, sample: unknown): unknown {
  if (text === 'null') return null;
  // JavaScript cannot represent all 64-bit ids as numbers; see `toJson`.
  if (typeof sample !== 'string' && /^\s*-?[1-9]\d{15,18}\s*$/.test(text)) return BigInt(text);
  if (typeof sample === 'number') return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text;
  if (typeof sample === 'string') return text;
  try {
    // Booleans, lists, and unknown fields: parse as JSON if possible.
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
