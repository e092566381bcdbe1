import { describe, expect, it } from 'vitest';
import type { AwaitedChange, Result } from '../../../src/actions/action-state.ts';
import type { Opened } from '../../../src/limits/open-temporary-change.ts';
import { createApplyLateConfirmation } from '../../../src/limits/send-rules.ts';
import type { TemporaryChange } from '../../../src/limits/temporary-change-store.ts';
import { unanswered } from '../../support/card-api-errors.ts';
import { limitChange } from '../../support/limit-goals.ts';
import { acctId, ask } from '../../support/perform-world.ts';
import { openedAt, rulesOf, temporaryChangeOf } from '../../support/temporary-changes.ts';
import { card } from '../../templates/fixtures.ts';

const action = ask('limit');
const forAnHour = { kind: 'duration', ms: 3_600_000 } as const;
const unknown: Result = { state: 'unknown', card, before: null, after: null, apiWords: null, note: null };

function awaitedOf(over: Partial<Result> = {}): AwaitedChange {
  const expects = { kind: 'rule', changes: [limitChange('daily', 40_000, 45_000)], term: forAnHour } as const;
  const result = { ...unknown, expects, ...over };
  return { action, verb: 'limit', acctId, outcomeOf: action.id, result, sentAt: openedAt };
}

interface Given {
  readonly isSuperseded?: boolean;
  readonly isKnown?: boolean;
  readonly until?: string;
  /** State of the temporary change in the meantime. */
  readonly state?: TemporaryChange['state'];
  /** The error that reading the card's rules throws. */
  readonly unreadable?: Error;
}

async function apply(
  awaited: AwaitedChange,
  confirmation: 'confirmed' | 'unconfirmed',
  { isSuperseded = false, isKnown = true, until = '2026-11-20T16:00:00.000Z', state = 'open', unreadable }: Given = {},
): Promise<{ said: Opened | null; steps: string[] }> {
  const steps: string[] = [];
  const said = await createApplyLateConfirmation({
    card: {
      async getSpendRules() {
        if (unreadable !== undefined) throw unreadable;
        return { rules: rulesOf({ daily: 40_000 }), raw: {} };
      },
    },
    latestChanges: { isSuperseded: async () => isSuperseded },
    temporaryChanges: { get: async () => (isKnown ? temporaryChangeOf({ state }) : null) },
    terms: {
      resolve: async ({ requestId }) => {
        steps.push(`resolved for ${requestId ?? 'no request'}`);
        return { note: 'Goes back.', control: { kind: 'revert', id: 'act_1', until } };
      },
      forgetIfGone: async (_id, { now }) => void steps.push(`forgotten, from ${String(now[0]?.from)}`),
    },
    now: () => new Date('2026-11-20T15:30:00.000Z'),
  })(awaited, { confirmation });
  return { said, steps };
}

describe('a rule change whose answer was lost', () => {
  it('completes as if the answer had arrived, once the change is confirmed', async () => {
    expect(await apply(awaitedOf(), 'confirmed')).toMatchObject({
      said: { note: 'Goes back.' },
      steps: ['resolved for no request'],
    });
  });

  it('belongs to its request if it was made for one', async () => {
    const { steps } = await apply({ ...awaitedOf(), outcomeOf: 'act_asked' }, 'confirmed');

    expect(steps).toEqual(['resolved for req_asked']);
  });

  it('does not announce an end that has already passed', async () => {
    expect((await apply(awaitedOf(), 'confirmed', { until: '2026-11-20T15:30:00.000Z' })).said).toBeNull();
  });

  it('drops its scheduled end once the change is found not to be made', async () => {
    expect(await apply(awaitedOf(), 'unconfirmed')).toEqual({ said: null, steps: ['forgotten, from 40000'] });
  });

  it('needs no end if it is permanent', async () => {
    const expects = {
      kind: 'rule',
      changes: [limitChange('daily', 40_000, 45_000)],
      term: { kind: 'permanent' },
    } as const;

    expect((await apply(awaitedOf({ expects }), 'confirmed', { isKnown: false })).steps).toEqual([
      'resolved for no request',
    ]);
  });

  it('is left alone when the card is unreadable, but does not hide a bug of ours', async () => {
    const away = unanswered({ outcome: 'not_sent' });

    expect(await apply(awaitedOf(), 'unconfirmed', { unreadable: away })).toEqual({ said: null, steps: [] });
    await expect(apply(awaitedOf(), 'unconfirmed', { unreadable: new TypeError('a bug') })).rejects.toThrow('a bug');
  });

  it.each<[string, AwaitedChange, 'confirmed' | 'unconfirmed', Given]>([
    ['a later change replaced all of it', awaitedOf(), 'confirmed', { isSuperseded: true }],
    ['its end was dropped', awaitedOf(), 'confirmed', { isKnown: false }],
    ['its answer was not lost', awaitedOf({ state: 'done' }), 'confirmed', {}],
    [
      'it is the end of another change',
      awaitedOf({ expects: { kind: 'rule', changes: [limitChange('daily', 1, 2)] } }),
      'confirmed',
      {},
    ],
    ['its end has been decided in the meantime', awaitedOf(), 'unconfirmed', { state: 'kept' }],
    [
      "the card follows a ruleset and may show the ruleset's values",
      awaitedOf({ card: { ...card, ruleset: { id: 3, name: 'Travel', mayOverrule: true } } }),
      'unconfirmed',
      {},
    ],
  ])('is left alone if %s', async (_what, awaited, confirmation, given) => {
    expect(await apply(awaited, confirmation, given)).toEqual({ said: null, steps: [] });
  });
});
