import { describe, expect, it } from 'vitest';
import { requestTarget, requestValue } from '../../../src/approvals/request.ts';
import type { TransactionEvent } from '../../../src/core/event.ts';
import { endPurchaseChanges } from '../../../src/limits/end-temporary-change.ts';
import type { TemporaryChange } from '../../../src/limits/temporary-change-store.ts';
import { useRedis } from '../../support/on-redis.ts';
import {
  acctId,
  ask,
  byCommand,
  createActionWorld,
  endTemporaryChange,
  performAction,
} from '../../support/perform-world.ts';
import { openedAt, temporaryChangeOf } from '../../support/temporary-changes.ts';
import { transactionAlert } from '../../templates/fixtures.ts';

describe('a change for one purchase', () => {
  const merchant = transactionAlert().event.merchant;
  const purchase = { merchantId: merchant.id, merchant: merchant.name, maxCents: 8410 };
  const authorized = {
    acctId,
    kind: 'authorization',
    amountCents: 8410,
    occurredAt: '2026-11-20T15:05:00.000Z',
  } as const;

  async function ended(event: Partial<TransactionEvent>, over: Partial<TemporaryChange> = {}): Promise<string[]> {
    const ids: string[] = [];
    await endPurchaseChanges(transactionAlert({ ...authorized, ...event }).event, {
      temporaryChanges: { all: async () => [temporaryChangeOf({ purchase, ...over })] },
      endTemporaryChangeNow: async (id) => void ids.push(id),
    });
    return ids;
  }

  it('ends when that purchase is authorized, even for less or under another merchant id', async () => {
    expect(await ended({})).toEqual(['act_1']);
    expect(await ended({ kind: 'pin', amountCents: 100 })).toEqual(['act_1']);
    expect(await ended({ occurredAt: '2026-11-20T14:59:00.000Z' }), 'by a clock a minute behind').toEqual(['act_1']);
    expect(await ended({ merchant: { ...merchant, id: 'other' } })).toEqual(['act_1']);
    expect(await ended({ merchant: { ...merchant, name: 'Another Name' } })).toEqual(['act_1']);
  });

  it('that opened a country or category ends with a more expensive purchase, too: nothing else bounds it', async () => {
    const abroad = { rule: { kind: 'international' }, from: false, to: true } as const;

    expect(await ended({ amountCents: 90_000 }, { changes: [abroad] })).toEqual(['act_1']);
  });

  const anywhere = { merchantId: '', merchant: '', maxCents: 30_000, isAnywhere: true };

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
    ['a more expensive purchase', { amountCents: 8411 }, {}],
    ['a check of the card for $0.00', { amountCents: 0 }, {}],
    ['a purchase with another card', { acctId: acctId + 1 }, {}],
    ['a purchase elsewhere', { merchant: { ...merchant, id: '1', name: 'Elsewhere' } }, {}],
    ['an earlier purchase', { occurredAt: '2026-11-20T14:58:59.999Z' }, {}],
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
    await endPurchaseChanges(transactionAlert(bought).event, {
      temporaryChanges: deps.temporaryChanges,
      endTemporaryChangeNow: async (id) => void (await endTemporaryChange(id, deps)),
    });

    expect(world.service.rules['DailySpendLimit']).toBe(400);
    expect(await deps.temporaryChanges.get('act_yes')).toMatchObject({ state: 'ended' });
  });
});
