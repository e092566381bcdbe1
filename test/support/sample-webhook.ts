import { toCallbackTime } from '../../sandbox/service-time.ts';
import { entryOf, freshData } from '../../sandbox/trigger/catalogue.ts';
import type { WebhookKind } from '../../sandbox/webhook/kind.ts';

/** A webhook ready to send any number of times with identical bytes. */
export interface SampleWebhook {
  readonly kind: WebhookKind;
  readonly body: string;
}

let serial = Math.floor(Math.random() * 1000);

/**
 * A webhook of a kind or a decline code (`decline.rule.velocity`), with fields of `Data` overridden.
 *
 * @param at when the service produced it.
 */
export function sampleWebhook(name: string, data: Record<string, unknown> = {}, at = new Date()): SampleWebhook {
  const entry = entryOf(name);
  if (entry === undefined) throw new Error(`no sample ${name}`);
  serial += 1;
  const fresh = freshData(entry, at, serial);
  // A unique merchant, because samples would otherwise count as repeats of each other.
  const merchant = 'MerchantId' in fresh ? { MerchantId: String(445_301_000_000 + serial) } : {};
  const body = { CallbackTime: toCallbackTime(at, serial), Data: { ...fresh, ...merchant, ...data } };
  return { kind: entry.kind, body: JSON.stringify(body) };
}

/** A Card Status Change webhook of one card. */
export function statusWebhook(
  account: { AcctId: number; FirstName: string; LastName: string },
  card: { CardId: number; Last4CardNumber: string },
  status: string,
  at = new Date(),
): SampleWebhook {
  const { AcctId, FirstName, LastName } = account;
  const one = {
    CardId: card.CardId,
    IssueDate: '2025-11-26T00:00:00',
    ExpirationDate: '2028-11-30T00:00:00',
    Last4CardNumber: card.Last4CardNumber,
    CardStatus: status,
    CardOrderId: 55201,
  };
  return sampleWebhook('card-status', { AcctId, FirstName, LastName, CustomId: '', CardList: [one] }, at);
}
