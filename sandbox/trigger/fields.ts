import type { WebhookKind } from '../webhook/kind.ts';
import { CardListEntry } from '../webhook/schema.ts';
import { declineMessage } from './catalogue.ts';

/** A payload with fields set, and remarks for fields that look like a slip. */
export interface FilledPayload {
  readonly data: Record<string, unknown>;
  readonly remarks: readonly string[];
}

/**
 * Sets fields of a payload. Values take the type that the sample has; what does not fit is sent as text all the same,
 * because receivers have to be tried with that too.
 */
export function withFields(
  kind: WebhookKind,
  sample: Record<string, unknown>,
  fields: readonly (readonly [name: string, text: string])[],
): FilledPayload {
  const data = structuredClone(sample);
  const remarks: string[] = [];
  for (const [name, text] of fields) {
    const card = (data.CardList as Record<string, unknown>[] | undefined)?.[0];
    const target =
      kind === 'card-status' && !(name in data) && name in CardListEntry.shape && card !== undefined ? card : data;
    if (!(name in target)) remarks.push(`${name} is no field of a ${kind} webhook; it is sent all the same`);
    const value = toValue(text, target[name]);
    if (typeof target[name] === 'number' && typeof value === 'string')
      remarks.push(`${name} is sent as text, the schema has a number`);
    target[name] = value;
  }
  const given = new Set(fields.map(([name]) => name));
  // What the service keeps equal stays equal, unless asked otherwise.
  const isRequestedShown = 'MerchantRequestedAmount' in data && !given.has('MerchantRequestedAmount');
  if (given.has('TransactionAmount') && isRequestedShown) data.MerchantRequestedAmount = data.TransactionAmount;
  if (given.has('MessageCode') && !given.has('Message'))
    data.Message = declineMessage(String(data.MessageCode)) ?? data.Message;
  return { data, remarks };
}

/** JSON in which whole numbers of any size keep all of their digits. */
export function toJson(body: object, indent: number): string {
  const mark = '\u0000';
  const marked = (_key: string, value: unknown): unknown => (typeof value === 'bigint' ? `${mark}${value}` : value);
  return JSON.stringify(body, marked, indent).replaceAll(/"\\u0000(-?\d+)"/g, '$1');
}

function toValue(text: string, sample: unknown): unknown {
  if (text === 'null') return null;
  // JavaScript cannot hold all ids of 64 bits as numbers; see `toJson`.
  if (typeof sample === 'number' && /^\s*-?\d{16,19}\s*$/.test(text)) return BigInt(text);
  if (typeof sample === 'number') return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text;
  if (typeof sample === 'string') return text;
  try {
    // Booleans, lists, and fields whose sample is null: as JSON where it is JSON.
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
