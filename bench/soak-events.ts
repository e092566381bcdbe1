import { toCallbackTime } from '../sandbox/service-time.ts';
import { entryOf, freshData } from '../sandbox/trigger/catalogue.ts';
import type { StoredEvent } from '../src/core/event.ts';
import { toStoredEvent } from '../src/webhooks/kind.ts';

/** Event types with their frequency per thousand. */
const mix: readonly (readonly [name: string, share: number])[] = [
  ['decline.rule.velocity', 150],
  ['decline.balance.card', 100],
  ['decline.rule.mcc', 80],
  ['decline.card.pin', 70],
  ['decline.rule.location', 50],
  ['authorization', 280],
  ['settlement', 180],
  ['reversal', 20],
  ['pin', 40],
  ['card-status', 20],
  ['card-shipping', 5],
  ['virtual-card', 5],
];
const kinds = mix.flatMap(([name, share]) => Array.from({ length: share }, () => name));
/** This step visits the shares evenly within about a hundred events: it has no common divisor with a thousand. */
const STRIDE = 617;
/** One in this many declines is a retry of the previous one. */
const REPEATED = 200;
const SPREAD_MS = 10 * 60_000;

/** Events of all kinds, all different, as the web process would store them. */
export function createSoakEvents(acctIds: readonly number[]) {
  let serial = 0;
  let before: Readonly<Record<string, unknown>> = {};
  const opened: { readonly acctId: number; readonly id: number }[] = [];

  /** @param nowMs the events happened in the minutes before. */
  return function take(count: number, nowMs: number): StoredEvent[] {
    const facts = { zone: 'America/New_York', version: '2.0.1.3', receivedAt: new Date(nowMs).toISOString() };
    return Array.from({ length: count }, (_, index) => {
      const at = new Date(nowMs - SPREAD_MS + (index * SPREAD_MS) / count);
      const entry = entryOf(kinds[(serial * STRIDE) % kinds.length] ?? '');
      if (entry === undefined) throw new Error('no such kind');
      const body = { CallbackTime: toCallbackTime(at, serial % 100), Data: dataOf(entry, at) };
      return toStoredEvent(JSON.parse(JSON.stringify(body)), entry.kind, facts);
    });
  };

  function dataOf(entry: NonNullable<ReturnType<typeof entryOf>>, at: Date): Readonly<Record<string, unknown>> {
    serial += 1;
    const fresh = freshData(entry, at, serial);
    const acctId = acctIds[serial % acctIds.length] ?? 0;
    if (entry.kind === 'virtual-card') return { ...fresh, AccountId: acctId };
    if (entry.kind === 'card-shipping') return { ...fresh, AcctId: acctId, CardOrderId: serial };
    if (entry.kind === 'card-status') {
      const [card] = fresh['CardList'] as readonly object[];
      const status = serial % 2 === 0 ? 'ACTIVE' : 'BLOCKED';
      return { ...fresh, AcctId: acctId, CardList: [{ ...card, CardId: acctId, CardStatus: status }] };
    }
    const id = 3_000_000_000 + serial;
    const own = { NetworkTransactionId: id, MerchantId: String(445_301_000_000 + serial) };
    if (entry.kind === 'authorization') opened.push({ acctId, id });
    if (entry.kind === 'settlement' || entry.kind === 'reversal') {
      const purchase = opened.shift();
      const of = { AuthTransactionId: purchase?.id ?? id, ReferencedTranId: purchase?.id ?? id };
      return { ...fresh, ...own, ...of, AcctId: purchase?.acctId ?? acctId };
    }
    const repeated = entry.kind === 'decline' && serial % REPEATED === 0 ? before : {};
    const data = { ...fresh, ...own, AcctId: acctId, ...repeated };
    if (entry.kind === 'decline')
      before = { AcctId: acctId, MerchantId: own.MerchantId, MessageCode: fresh['MessageCode'] };
    return data;
  }
}
