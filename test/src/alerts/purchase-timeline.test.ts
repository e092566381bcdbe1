import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FOLLOWS_WITHIN_MS, groupPurchases, PurchaseStep } from '../../../src/alerts/purchase-timeline.ts';

const START = Date.parse('2026-11-20T14:00:00Z');
const DAY = 24 * 60;

let serial = 0;
function step(kind: PurchaseStep['kind'], minutes: number, over: Partial<PurchaseStep> = {}): PurchaseStep {
  serial += 1;
  return {
    eventId: `${kind}-${serial}`,
    kind,
    networkTransactionId: `n${serial}`,
    authTransactionId: null,
    at: new Date(START + minutes * 60_000).toISOString(),
    cents: 8410,
    direction: kind === 'reversal' ? 'credit' : 'debit',
    merchant: 'm1',
    mcc: '5411',
    ...over,
  };
}

/** Groups of event ids, and which of them are inferred. */
function grouped(events: readonly PurchaseStep[]) {
  return groupPurchases(events).map(({ steps, inferred }) => ({
    ids: steps.map(({ eventId }) => eventId),
    inferred: steps.map(({ eventId }) => eventId).filter((id) => inferred.has(id)),
  }));
}

describe('the steps of a purchase', () => {
  it('match by the network’s id, whatever the amounts', () => {
    const same = { networkTransactionId: '2265018' };
    const steps = [step('authorization', 0, same), step('settlement', DAY, { ...same, cents: 99_999 })];

    expect(grouped(steps)).toEqual([{ ids: steps.map(({ eventId }) => eventId), inferred: [] }]);
  });

  it('match by a masked id only at one merchant: two purchases may end alike', () => {
    const masked = { networkTransactionId: '4111••••••••1111' };
    const [auth, settled] = [step('authorization', 0, masked), step('settlement', DAY, { ...masked, cents: 99_999 })];
    const other = step('authorization', 5, { ...masked, merchant: 'm2' });

    expect(grouped([auth, other, settled])).toEqual([
      { ids: [auth.eventId, settled.eventId], inferred: [] },
      { ids: [other.eventId], inferred: [] },
    ]);
  });

  it('match by the authorization’s id, even through another step', () => {
    const auth = step('authorization', 0, { networkTransactionId: '1' });
    const settled = step('settlement', DAY, { networkTransactionId: '1', authTransactionId: '77' });
    const refund = step('settlement', 9 * DAY, {
      networkTransactionId: '2',
      authTransactionId: '77',
      direction: 'credit',
    });

    expect(grouped([refund, settled, auth])).toEqual([
      { ids: [auth.eventId, settled.eventId, refund.eventId], inferred: [] },
    ]);
  });

  it('match if they name the network’s id of the authorization, in any order', () => {
    const auth = step('authorization', 0, { networkTransactionId: '1' });
    const later = { authTransactionId: '1', cents: 99_999 };
    const settled = step('settlement', DAY, { ...later, networkTransactionId: '2' });
    const reversal = step('reversal', 2 * DAY, { ...later, networkTransactionId: '3' });

    const ids = [auth.eventId, settled.eventId, reversal.eventId];
    expect(grouped([auth, settled, reversal])).toEqual([{ ids, inferred: [] }]);
    expect(grouped([settled, reversal, auth])).toEqual([{ ids, inferred: [] }]);
    const elsewhere = step('settlement', DAY, { ...later, networkTransactionId: '4', merchant: 'm2' });
    expect(grouped([auth, elsewhere])).toHaveLength(2);
  });

  it('do not match when another merchant names the same authorization', () => {
    const one = step('reversal', 0, { authTransactionId: '77' });
    const other = step('reversal', 1, { authTransactionId: '77', merchant: 'm2' });

    expect(grouped([one, other])).toHaveLength(2);
  });

  it('do not match by the authorization id of a reversal if the network’s id contradicts it', () => {
    const auth = step('authorization', 0, { networkTransactionId: '1' });
    const reversal = step('reversal', 1, { networkTransactionId: '1', authTransactionId: '77' });
    const other = [
      step('authorization', 2, { networkTransactionId: '2' }),
      step('settlement', 3, { networkTransactionId: '2', authTransactionId: '77' }),
    ];

    for (const events of [
      [auth, reversal, ...other],
      [...other, reversal, auth],
    ]) {
      expect(grouped(events).map(({ ids }) => ids)).toEqual([
        [auth.eventId, reversal.eventId],
        other.map(({ eventId }) => eventId),
      ]);
    }
  });

  it.each([
    ['the same amount', 8410, '5411', true],
    ['part of it', 4205, '5411', true],
    ['less than half of it', 4204, '5411', false],
    ['more than it', 8411, '5411', false],
    ['a tip at a restaurant', 10_933, '5812', true],
    ['more than a tip', 10_934, '5812', false],
    ['a full tank after a dollar', 25_000, '5542', true],
    ['more than a tank', 25_001, '5542', false],
  ])('without ids are inferred by amount: a settlement of %s', (_what, cents, mcc, belongs) => {
    const asked = mcc === '5542' ? 100 : 8410;
    const auth = step('authorization', 0, { mcc, cents: asked });
    const settled = step('settlement', 2 * DAY, { mcc, cents });

    expect(grouped([settled, auth])).toEqual(
      belongs
        ? [{ ids: [auth.eventId, settled.eventId], inferred: [settled.eventId] }]
        : [
            { ids: [auth.eventId], inferred: [] },
            { ids: [settled.eventId], inferred: [] },
          ],
    );
  });

  const late = FOLLOWS_WITHIN_MS / 60_000;

  it.each([
    ['another merchant', step('settlement', 1, { merchant: 'm2' })],
    ['too late', step('settlement', late + 1)],
    ['long before', step('settlement', -61)],
    ['a reversal of more', step('reversal', 1, { cents: 8411 })],
    ['a refund of another amount', step('settlement', 1, { direction: 'credit', cents: 8409 })],
  ])('are not inferred for %s', (_what, other) => {
    expect(grouped([step('authorization', 0), other])).toHaveLength(2);
  });

  it('merge two groups into one when a later step links their ids', () => {
    const auth = step('authorization', 0, { networkTransactionId: '1' });
    const reversal = step('reversal', 1, { networkTransactionId: '2', authTransactionId: '77' });
    const more = step('reversal', 2, { networkTransactionId: '3', authTransactionId: '77' });
    const link = step('settlement', 3, { networkTransactionId: '1', authTransactionId: '77' });

    expect(grouped([auth, reversal, more, link])).toEqual([
      { ids: [auth, reversal, more, link].map(({ eventId }) => eventId), inferred: [] },
    ]);
  });

  it('do not match if they name two authorizations of the same merchant', () => {
    const steps = [
      step('authorization', 0, { authTransactionId: '77' }),
      step('authorization', 1, { authTransactionId: '78' }),
    ];

    expect(grouped(steps)).toHaveLength(2);
  });

  const tenDays = 10 * 24 * 3_600_000;
  const month = 31 * 24 * 3_600_000;
  const hour = 3_600_000;
  const atMs = (ms: number): Partial<PurchaseStep> => ({ at: new Date(START + ms).toISOString() });
  const refund = { direction: 'credit' } as const;

  it.each<[string, PurchaseStep, number]>([
    ['a settlement after ten days', step('settlement', 0, atMs(tenDays)), 1],
    ['a settlement a moment later', step('settlement', 0, atMs(tenDays + 1)), 2],
    ['a refund after 31 days', step('settlement', 0, { ...refund, ...atMs(month) }), 1],
    ['a refund a moment later', step('settlement', 0, { ...refund, ...atMs(month + 1) }), 2],
    ['a settlement by a clock an hour behind', step('settlement', 0, atMs(-hour)), 1],
    ['a settlement a moment earlier', step('settlement', 0, atMs(-hour - 1)), 2],
  ])('are inferred by time: %s', (_what, other, groups) => {
    expect(grouped([step('authorization', 0), other])).toHaveLength(groups);
  });

  it.each(['4121', '5811', '5812', '5813', '5814', '7230', '7297', '7298'])(
    'may include a tip of up to 30 % at merchants where people tip: %s',
    (mcc) => {
      const auth = step('authorization', 0, { mcc, cents: 10_000 });

      expect(grouped([auth, step('settlement', DAY, { mcc, cents: 13_000 })])).toHaveLength(1);
      expect(grouped([auth, step('settlement', DAY, { mcc, cents: 13_001 })])).toHaveLength(2);
    },
  );

  it.each(['5541', '5542', '5552', '5983'])('may be settled for a full tank at fuel merchants: %s', (mcc) => {
    const auth = step('authorization', 0, { mcc, cents: 100 });

    expect(grouped([auth, step('settlement', DAY, { mcc, cents: 25_000 })])).toHaveLength(1);
  });

  it('have one refund, and none after a reversal', () => {
    const auth = step('authorization', 0);
    const refunds = [step('settlement', DAY, refund), step('settlement', DAY + 1, refund)];

    expect(grouped([auth, ...refunds])).toHaveLength(2);
    expect(grouped([auth, step('reversal', 1, { cents: 100 }), ...refunds])).toHaveLength(3);
  });

  it('have reversals up to the amount held, and no settlement once all of it is reversed', () => {
    const auth = step('authorization', 0);
    const half = (minutes: number): PurchaseStep => step('reversal', minutes, { cents: 4205 });

    expect(grouped([auth, half(1), half(2)])).toHaveLength(1);
    expect(grouped([auth, half(1), half(2), step('reversal', 3, { cents: 1 })])).toHaveLength(2);
    expect(grouped([auth, half(1), half(2), step('settlement', DAY, { cents: 4205 })])).toHaveLength(2);
    expect(grouped([auth, half(1), step('settlement', DAY, { cents: 4205 })])).toHaveLength(1);
  });

  it('of each kind and direction can be stored', () => {
    for (const kind of ['authorization', 'pin', 'settlement', 'reversal'] as const)
      for (const direction of ['debit', 'credit'] as const) {
        const kept = step(kind, 0, { direction });
        expect(PurchaseStep.parse(kept)).toEqual(kept);
      }
  });

  it('have one settlement each; a second one joins another purchase or stays alone', () => {
    const auths = [step('authorization', 0), step('authorization', 10)];
    const settled = [step('settlement', DAY), step('settlement', DAY + 1), step('settlement', DAY + 2)];

    const [first, second] = auths;
    expect(grouped([...settled, ...auths])).toEqual([
      { ids: [first?.eventId, settled[1]?.eventId], inferred: [settled[1]?.eventId] },
      { ids: [second?.eventId, settled[0]?.eventId], inferred: [settled[0]?.eventId] },
      { ids: [settled[2]?.eventId], inferred: [] },
    ]);
  });

  it('match by exact amount before nearest time', () => {
    const exact = step('authorization', 0, { mcc: '5812' });
    const near = step('authorization', 10, { mcc: '5812', cents: 7000 });
    const settled = step('settlement', DAY, { mcc: '5812' });

    expect(grouped([near, settled, exact])[0]).toMatchObject({ ids: [exact.eventId, settled.eventId] });
  });

  it('of a PIN purchase include its reversal and its refund, but no settlement', () => {
    const paid = step('pin', 0);
    expect(grouped([paid, step('reversal', 5)])).toHaveLength(1);
    expect(grouped([paid, step('settlement', DAY, { direction: 'credit' })])).toHaveLength(1);
    expect(grouped([paid, step('settlement', DAY)])).toHaveLength(2);
  });

  it('are grouped the same in any order of arrival, and none is lost', () => {
    const kind = fc.constantFrom('authorization' as const, 'pin' as const, 'settlement' as const, 'reversal' as const);
    const one = fc
      .record({
        kind,
        minutes: fc.integer({ min: 0, max: 20 * DAY }),
        networkTransactionId: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'),
        authTransactionId: fc.constantFrom(null, '1', '2'),
        cents: fc.constantFrom(100, 5000, 5000, 6000),
        isCredit: fc.boolean(),
        merchant: fc.constantFrom('m1', 'm2'),
        mcc: fc.constantFrom('5411', '5812', '5542'),
      })
      .map(({ minutes, isCredit, ...over }) =>
        step(over.kind, minutes, { ...over, ...(over.kind === 'settlement' && isCredit && { direction: 'credit' }) }),
      );
    fc.assert(
      fc.property(
        fc
          .array(one, { maxLength: 12 })
          .chain((steps) => fc.tuple(fc.constant(steps), fc.shuffledSubarray(steps, { minLength: steps.length }))),
        ([steps, shuffled]) => {
          const groups = grouped(steps);
          expect(grouped(shuffled)).toEqual(groups);
          const ids = groups.flatMap((group) => group.ids);
          expect(ids).toHaveLength(steps.length);
          expect(new Set(ids)).toEqual(new Set(steps.map(({ eventId }) => eventId)));
        },
      ),
    );
  });
});
