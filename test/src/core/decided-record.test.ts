import { describe, expect, it } from 'vitest';
import { type DecidedBy, decisionOf, isDecidedBy, saveUndecided } from '../../../src/core/decided-record.ts';
import { TooLateError } from '../../../src/core/errors.ts';

const decision = { actionId: 'act_ben', by: 'U0BEN', at: '2026-11-20T10:00:00.000Z' };

describe('the decision on a record', () => {
  it('is null while it is open and after it expired', () => {
    expect(decisionOf({ state: 'open' })).toBeNull();
    expect(decisionOf({ state: 'expired' })).toBeNull();
    expect(decisionOf({ state: 'denied', decision })).toBe(decision);
  });

  it('is recognized by its click', () => {
    expect(isDecidedBy({ state: 'denied', decision }, 'act_ben')).toBe(true);
    expect(isDecidedBy({ state: 'denied', decision }, 'act_zoe')).toBe(false);
    expect(isDecidedBy({ state: 'open' }, 'act_ben')).toBe(false);
  });
});

describe('saving a decision', () => {
  type Kept = { readonly id: string; readonly state: string; readonly decision?: DecidedBy };

  const storeWith = (stands: Kept | null) => {
    const saved: Kept[] = [];
    return {
      saved,
      change: async (_id: string, next: (current: Kept | null) => Kept | null) => {
        const becomes = next(stands);
        if (becomes !== null) saved.push(becomes);
        return { isChanged: becomes !== null, stands: becomes ?? stands };
      },
    };
  };

  it.each([
    ['a new record', null],
    ['an open one', { id: 'req_1', state: 'open' }],
    ['one with the same decision', { id: 'req_1', state: 'denied' }],
  ])('replaces %s', async (_what, stands) => {
    const store = storeWith(stands);

    await saveUndecided(store, { id: 'req_1', state: 'denied' });

    expect(store.saved).toEqual([{ id: 'req_1', state: 'denied' }]);
  });

  it('keeps the same decision of somebody else', async () => {
    const byBen = { id: 'req_1', state: 'denied', decision };
    const store = storeWith(byBen);

    const byAna = { ...byBen, decision: { ...decision, actionId: 'act_ana', by: 'U0ANA' } };
    await expect(saveUndecided(store, byAna)).rejects.toThrow(TooLateError);
    expect(store.saved).toEqual([]);
  });

  it('keeps a decision that somebody else made in the meantime', async () => {
    const store = storeWith({ id: 'req_1', state: 'approved' });

    await expect(saveUndecided(store, { id: 'req_1', state: 'denied' })).rejects.toThrow(TooLateError);
    expect(store.saved).toEqual([]);
  });
});
