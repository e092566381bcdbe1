import { describe, expect, it } from 'vitest';
import { type ActionState, stateOf } from '../../../src/actions/action-state.ts';
import { createInFlight } from '../../../src/approvals/in-flight.ts';
import { withInFlight } from '../../../src/approvals/request.ts';
import { askedAt, inFlight, openRequestOf } from '../../support/limit-requests.ts';
import { card } from '../../templates/fixtures.ts';

const sending: ActionState = { state: 'sending', before: null, after: null };
const failed = stateOf({ state: 'failed', card, before: null, after: null, apiWords: null, note: null }, askedAt);

function setUp(written: Readonly<Record<string, ActionState>>, now = askedAt) {
  const states = new Map(Object.entries(written));
  const { stop } = createInFlight({
    now: () => new Date(now),
    progress: {
      read: async (id) => states.get(id) ?? null,
      async begin(id, next) {
        const stands = states.get(id) ?? null;
        if (stands !== null && stands.state !== 'asked') return stands;
        states.set(id, next);
        return null;
      },
    },
  });
  return { stop, stateNow: (id: string) => states.get(id) };
}

const byBen = withInFlight(openRequestOf(), inFlight('begun'));
const byBoth = withInFlight(byBen, inFlight('begun', 'act_zoe'));

describe('stopping the approvals of a request that ends', () => {
  it('refuses each click that has sent nothing', async () => {
    const { stop, stateNow } = setUp({ act_ben: { state: 'asked' } });

    expect(await stop(byBoth)).toBeNull();

    for (const id of ['act_ben', 'act_zoe'])
      expect(stateNow(id)).toMatchObject({
        state: 'refused',
        pending: { why: 'The request ended before anything was sent.', isNotPermitted: false },
      });
  });

  it('says that the time was up if it was', async () => {
    const { stop, stateNow } = setUp({}, '2026-11-23T15:00:00.000Z');

    await stop(byBen);

    expect(stateNow('act_ben')).toMatchObject({ pending: { why: expect.stringContaining('within 24 hours') } });
  });

  it('stops none unless all can be stopped', async () => {
    const { stop, stateNow } = setUp({ act_zoe: sending });

    expect(await stop(byBoth)).toMatchObject({ why: expect.stringContaining('approved it just now') });

    expect(stateNow('act_ben')).toBeUndefined();
  });

  it('waits until a failure is reported', async () => {
    expect(await setUp({ act_ben: failed }).stop(byBen)).not.toBeNull();
    expect(await setUp({ act_ben: { ...failed, isNotified: true } }).stop(byBen)).toBeNull();
  });
});
