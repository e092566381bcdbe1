import { expect, it } from 'vitest';
import { openExceptions } from '../../../src/digests/open-exceptions.ts';
import { limitChange } from '../../support/limit-goals.ts';
import { openRequestOf } from '../../support/limit-requests.ts';
import { temporaryChangeOf } from '../../support/temporary-changes.ts';
import { card } from '../../templates/fixtures.ts';

it('lists temporary changes that are in effect, changes awaiting a decision and requests as open exceptions, soonest end first', async () => {
  const temporary = temporaryChangeOf();
  const asking = temporaryChangeOf({ id: 'act_2', state: 'asking', endsAt: '2026-11-20T12:00:00.000Z' });
  const unconfirmed = temporaryChangeOf({ id: 'act_3', certainty: 'unconfirmed' });
  const order = openRequestOf({ orderCents: 25_000, changes: [], expiresAt: '2026-11-22T15:00:00.000Z' });

  const open = await openExceptions({
    requests: { open: async () => [order, openRequestOf()] },
    temporaryChanges: { all: async () => [temporary, asking, unconfirmed] },
    factsOf: async () => card,
  });

  expect(open.map(({ kind, change, by }) => [kind, change, by])).toEqual([
    ['asking', 'daily limit $400.00 → $450.00', 'U0ANA'],
    ['temporary', 'daily limit $400.00 → $450.00', 'U0ANA'],
    ['request', 'daily limit $400.00 → $900.00', 'U0HUGO'],
    ['request', 'virtual card with $250.00', 'U0HUGO'],
  ]);
});

it('lists an order without money as not funded', async () => {
  const open = await openExceptions({
    requests: { open: async () => [openRequestOf({ orderCents: 0, changes: [] })] },
    temporaryChanges: { all: async () => [] },
    factsOf: async () => card,
  });

  expect(open.map(({ change }) => change)).toEqual(['virtual card, not funded']);
});

it('lists only the limits of a pending decision that have not gone back yet', async () => {
  const changes = [limitChange('daily', 40_000, 45_000), limitChange('weekly', 60_000, 70_000)];
  const meanwhile = [limitChange('daily', 45_000, 50_000), limitChange('weekly', 70_000, 60_000)];

  const open = await openExceptions({
    requests: { open: async () => [] },
    temporaryChanges: { all: async () => [temporaryChangeOf({ state: 'asking', changes, meanwhile })] },
    factsOf: async () => card,
  });

  expect(open.map(({ change }) => change)).toEqual(['daily limit $400.00 → $450.00']);
});
