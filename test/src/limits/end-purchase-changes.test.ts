import { describe, expect, it } from 'vitest';
import { requestTarget, requestValue } from '../../../src/approvals/request.ts';
import type { TransactionEvent } from '../../../src/core/event.ts';
import { createEndPurchaseChanges } from '../../../src/limits/end-purchase-changes.ts';
import { createFitsMerchant } from '../../../src/limits/merchant-fit.ts';
import type { TemporaryChange } from '../../../src/limits/temporary-change-store.ts';
import { useRedis } from '../../support/on-redis.ts';
import {
  acctId,
  ask,
  byCommand,
  createActionWorld,
  endTemporaryChange,
  performAction,
  verbsOf,
} from '../../support/perform-world.ts';
import { openedAt, temporaryChangeOf } from '../../support/temporary-changes.ts';
import { card as cardOfAlerts, transactionAlert } from '../../templates/fixtures.ts';

describe('a change for one purchase', () => {
  const merchant = transactionAlert().event.merchant;
  const declinedAt = '2026-11-20T14:14:00.0000000Z';
  const purchase = { merchantId: merchant.id, merchant: merchant.name, maxCents: 8410, declinedAt };
  const authorized = {
    acctId,
    kind: 'authorization',
    amountCents: 8410,
    occurredAt: '2026-11-20T15:05:00.000Z',
  } as const;

  const card = { ...cardOfAlerts, group: 'Crew' };
  const abroad = { rule: { kind: 'international' }, from: false, to: true } as const;

  /** What is ended, and what approvers are told. */
  async function result(event: Partial<TransactionEvent>, over: Partial<TemporaryChange> = {}) {
    const ids: string[] = [];
    const told: string[] = [];
    const endPurchaseChanges = createEndPurchaseChanges({
      temporaryChanges: { all: async () => [temporaryChangeOf({ purchase, ...over })] },
      endTemporaryChangeNow: async (id) => void ids.push(id),
      fitsMerchant: createFitsMerchant({ Restaurants: ['5812'] }),
      factsOf: async () => card,
      postToApprovals: async (id, { text }, group) => void told.push(`${id} ${group}: ${text}`),
    });
    await endPurchaseChanges(transactionAlert({ ...authorized, ...event }).event);
    return { ids, told };
  }

  it('is ended only after approvers were told: the job that runs again must still find it', async () => {
    const ids: string[] = [];
    const endPurchaseChanges = createEndPurchaseChanges({
      temporaryChanges: { all: async () => [temporaryChangeOf({ purchase, changes: [abroad] })] },
      endTemporaryChangeNow: async (id) => void ids.push(id),
      fitsMerchant: createFitsMerchant({}),
      factsOf: async () => card,
      postToApprovals: async () => Promise.reject(new Error('killed')),
    });
    const elsewhere = { ...authorized, merchant: { ...merchant, id: '9', name: 'Elsewhere', country: 'SE' } };

    await expect(endPurchaseChanges(transactionAlert(elsewhere).event)).rejects.toThrow('killed');

    expect(ids).toEqual([]);
  });

  const ended = async (...of: Parameters<typeof result>): Promise<string[]> => (await result(...of)).ids;

  it('ends when that purchase is authorized, even for less or under another merchant id', async () => {
    expect(await ended({})).toEqual(['act_1']);
    expect(await ended({ kind: 'pin', amountCents: 100 })).toEqual(['act_1']);
    expect(await ended({ occurredAt: '2026-11-20T14:59:00.000Z' }), 'by a clock a minute behind').toEqual(['act_1']);
    expect(await ended({ merchant: { ...merchant, id: 'other' } })).toEqual(['act_1']);
    expect(await ended({ merchant: { ...merchant, name: 'Another Name' } })).toEqual(['act_1']);
  });

  it('ends when that purchase is authorized with a tip, which its alert shows as paid', async () => {
    expect(await ended({ amountCents: 9500 })).toEqual(['act_1']);
    expect(await ended({ amountCents: 10_092 })).toEqual(['act_1']);
  });

  const online = { rule: { kind: 'card_not_present' }, from: false, to: true } as const;
  const restaurants = { id: 1, name: 'Restaurants' };
  const eating = { rule: { kind: 'category', category: restaurants }, from: false, to: true } as const;

  it('that opened a country or category ends with a more expensive purchase, too: nothing else bounds it', async () => {
    expect(await ended({ amountCents: 90_000 }, { changes: [abroad] })).toEqual(['act_1']);
  });

  const elsewhere = { ...merchant, id: 'other', name: 'Shop Y', country: 'US' };
  const inFrance = { merchant: { ...elsewhere, country: 'FR' }, isCardPresent: true, mcc: '5999' };
  const onWeb = { merchant: elsewhere, isCardPresent: false, mcc: '5999' };
  const inDiner = { merchant: elsewhere, isCardPresent: true, mcc: '5812' };

  it.each<
    [string, TemporaryChange['changes'][number], Partial<TransactionEvent>, readonly Partial<TransactionEvent>[]]
  >([
    ['purchases abroad', abroad, inFrance, [onWeb, inDiner]],
    ['online purchases', online, onWeb, [inFrance, inDiner]],
    ['a category', eating, inDiner, [inFrance, onWeb]],
  ])('that opened %s ends with the first purchase that needs it, anywhere', async (_what, change, needs, others) => {
    expect(await ended(needs, { changes: [change] })).toEqual(['act_1']);
    expect(await ended({ ...needs, amountCents: 0 }, { changes: [change] }), 'a check of the card').toEqual([]);
    for (const other of others) expect(await ended(other, { changes: [change] }), 'does not need it').toEqual([]);
    expect(await ended(needs), 'a raised limit').toEqual([]);
  });

  const toldAt = (event: Partial<TransactionEvent>, over: Partial<TemporaryChange> = {}) =>
    result(event, { changes: [abroad], ...over });

  it.each<[string, Partial<TransactionEvent>, RegExp]>([
    [
      'elsewhere',
      inFrance,
      /^purchase-elsewhere-act_1-evt_\S+ Crew: .*paid \$84\.10 at Shop Y<!date.*for \$84\.10 at Blue Bottle/,
    ],
    [
      'for more than was approved',
      { amountCents: 8411 },
      /paid \$84\.11 at Blue Bottle.*had been allowed for \$84\.10/,
    ],
  ])('that opened a rule is told to approvers when a purchase used it %s', async (_how, event, words) => {
    expect((await toldAt(event)).told).toEqual([expect.stringMatching(words)]);
  });

  it.each<[string, Partial<TransactionEvent>, Partial<TemporaryChange>]>([
    ['the approved one used it', { amountCents: 100 }, {}],
    [
      'its amount was never known',
      { amountCents: 90_000 },
      { purchase: { ...purchase, maxCents: Number.MAX_SAFE_INTEGER } },
    ],
    ['it ended before', inFrance, { state: 'asking' }],
  ])('that opened a rule tells approvers nothing if %s', async (_why, event, over) => {
    expect((await toldAt(event, over)).told).toEqual([]);
  });

  const anywhere = { merchantId: '', merchant: '', maxCents: 30_000, declinedAt: null };

  it('that was asked for without a decline ends with the next purchase up to that amount, at any merchant', async () => {
    expect(await ended({ amountCents: 30_000 }, { purchase: anywhere })).toEqual(['act_1']);
    const inSameSecond = { purchase: anywhere, openedAt: '2026-11-20T15:05:00.900Z' };
    expect(await ended({}, inSameSecond), 'whole seconds').toEqual(['act_1']);
    expect(await ended({ merchant: { ...merchant, id: ' ', name: '' } }, { purchase: anywhere })).toEqual(['act_1']);
  });

  it.each<[string, Partial<TransactionEvent>, Partial<TemporaryChange>]>([
    ['a more expensive purchase than its holder asked for', { amountCents: 30_001 }, { purchase: anywhere }],
    ['a check of the card for $0.00, at any merchant', { amountCents: 0 }, { purchase: anywhere }],
    ['a purchase just before it, at any merchant', { occurredAt: '2026-11-20T14:59:59.000Z' }, { purchase: anywhere }],
    ['a settlement', { kind: 'settlement' }, {}],
    ['a purchase that costs more than a tip explains', { amountCents: 10_093 }, {}],
    ['a check of the card for $0.00', { amountCents: 0 }, {}],
    ['a purchase with another card', { acctId: acctId + 1 }, {}],
    ['a purchase elsewhere', { merchant: { ...merchant, id: '1', name: 'Elsewhere' } }, {}],
    ['an earlier purchase', { occurredAt: '2026-11-20T14:58:59.999Z' }, {}],
    [
      'a purchase before the decline, although the change was made within a minute of it',
      { occurredAt: '2026-11-20T14:59:29.0000000Z' },
      { purchase: { ...purchase, declinedAt: '2026-11-20T14:59:30.0000000Z' } },
    ],
    [
      'a purchase at a merchant without id and name',
      { merchant: { ...merchant, id: ' ', name: ' ' } },
      { purchase: { ...purchase, merchantId: ' ', merchant: '' } },
    ],
    ['any purchase, if it is not tied to one', {}, { purchase: null }],
    ['any purchase, once it has ended', {}, { state: 'asking' }],
  ])('does not end with %s', async (_what, event, over) => {
    expect(await ended(event, over)).toEqual([]);
  });
});

describe('what a holder asks for by command, for one purchase', () => {
  const redis = useRedis();

  it('ends with the first purchase after its approval', async () => {
    const world = await createActionWorld(redis());
    const { card, links } = world.deps;
    const remaining = [{ period: 'daily', limitCents: 40_000, remainingCents: 10_000 } as const];
    const getRemainingLimits = async () => ({ overall: remaining, categories: [] });
    const deps = { ...world.deps, card: { ...card, getRemainingLimits } };
    await links.link({ acctId, userId: 'U0HUGO', provedBy: 'approver', by: 'U0CEM', at: openedAt });
    const hugo = { actor: { userId: 'U0HUGO', teamId: 'T1' }, roles: ['holder' as const] };
    const wanted = { amountCents: 30_000, term: { kind: 'purchase' } as const };
    await performAction(ask('ask', { ...byCommand, ...hugo, ask: wanted }), deps);
    const [request] = await deps.requests.open();
    const target = requestTarget(requestValue(request!));
    await performAction(ask('decide', { id: 'act_yes', target, approve: true }), deps);
    expect(world.service.rules['DailySpendLimit']).toBe(600);

    const bought = {
      acctId,
      kind: 'authorization',
      amountCents: 29_900,
      occurredAt: '2026-11-20T15:01:00.000Z',
    } as const;
    const endTemporaryChangeNow = async (id: string) => void (await endTemporaryChange(id, deps));
    await verbsOf({ ...deps, endTemporaryChangeNow }).endPurchaseChanges(transactionAlert(bought).event);

    expect(world.service.rules['DailySpendLimit']).toBe(400);
    expect(await deps.temporaryChanges.get('act_yes')).toMatchObject({ state: 'ended' });
  });
});
