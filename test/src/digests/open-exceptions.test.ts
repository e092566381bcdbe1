import { expect, it } from 'vitest';
import { openExceptions } from '../../../src/digests/open-exceptions.ts';
import { openRequestOf } from '../../support/limit-requests.ts';
import { temporaryChangeOf } from '../../support/temporary-changes.ts';
import { card } from '../../templates/fixtures.ts';

it('open are temporary changes, those whose end somebody has to decide, and requests: soonest end first', async () => {
  const temporary = temporaryChangeOf();
  const asking = temporaryChangeOf({ id: 'act_2', state: 'asking', endsAt: '2026-11-20T12:00:00.000Z' });
  const order = openRequestOf({ orderCents: 25_000, changes: [], expiresAt: '2026-11-22T15:00:00.000Z' });

  const open = await openExceptions({
    requests: { open: async () => [order, openRequestOf()] },
    temporaryChanges: { all: async () => [temporary, asking] },
    factsOf: async () => card,
  });

  expect(open.map(({ kind, change, by }) => [kind, change, by])).toEqual([
    ['asking', 'daily limit $400.00 → $450.00', 'U0ANA'],
    ['temporary', 'daily limit $400.00 → $450.00', 'U0ANA'],
    ['request', 'daily limit $400.00 → $900.00', 'U0HUGO'],
    ['request', 'virtual card with $250.00', 'U0HUGO'],
  ]);
});
