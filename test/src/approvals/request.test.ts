import { describe, expect, it } from 'vitest';
import {
  decisionOf,
  isDecidedBy,
  LimitRequest,
  temporaryChangeIdOf,
  unconfirmedApproval,
  withInFlight,
  withoutInFlight,
} from '../../../src/approvals/request.ts';
import { askedAt, inFlight, openRequestOf } from '../../support/limit-requests.ts';

const decision = { actionId: 'act_ben', by: 'U0BEN', at: askedAt };

describe('approvals in flight', () => {
  it('are one for each click, the newest last', () => {
    const first = withInFlight(openRequestOf(), inFlight('begun'));
    const both = withInFlight(first, inFlight('begun', 'act_zoe'));

    const again = withInFlight(both, inFlight('sent'));

    expect(again.inFlight.map(({ actionId, state }) => [actionId, state])).toEqual([
      ['act_zoe', 'begun'],
      ['act_ben', 'sent'],
    ]);
    expect(withoutInFlight(again, 'act_ben').inFlight.map(({ actionId }) => actionId)).toEqual(['act_zoe']);
  });

  it('leave it uncertain what they changed once they are sent', () => {
    const begun = withInFlight(openRequestOf(), inFlight('begun', 'act_zoe'));

    expect(unconfirmedApproval(begun)).toBeNull();
    expect(unconfirmedApproval(withInFlight(begun, inFlight('sent')))?.actionId).toBe('act_ben');
    expect(unconfirmedApproval(withInFlight(begun, inFlight('unconfirmed')))?.actionId).toBe('act_ben');
  });
});

describe('the decision of a request', () => {
  it('is none while it is open, and where its time ran out', () => {
    expect(decisionOf(openRequestOf())).toBeNull();
    expect(decisionOf({ ...openRequestOf(), state: 'expired' })).toBeNull();
  });

  it('is recognized by its click', () => {
    const denied: LimitRequest = { ...openRequestOf(), state: 'denied', decision };

    expect(isDecidedBy(denied, 'act_ben')).toBe(true);
    expect(isDecidedBy(denied, 'act_zoe')).toBe(false);
  });

  it('belongs to a decided request only', () => {
    expect(LimitRequest.safeParse({ ...openRequestOf(), decision }).success).toBe(false);
    expect(LimitRequest.safeParse({ ...openRequestOf(), state: 'approved', decision }).success).toBe(false);
    expect(LimitRequest.safeParse({ ...openRequestOf(), state: 'denied', decision }).success).toBe(true);
  });
});

it('the temporary change of a request is the one that its approval or override made', () => {
  const open = openRequestOf();
  const made = { decision, temporaryChangeId: 'tmp_1' };

  expect(temporaryChangeIdOf({ ...open, state: 'approved', ...made })).toBe('tmp_1');
  expect(temporaryChangeIdOf({ ...open, state: 'overridden', ...made })).toBe('tmp_1');
  expect(temporaryChangeIdOf({ ...open, state: 'approved', ...made, temporaryChangeId: null })).toBeNull();
  expect(temporaryChangeIdOf({ ...open, state: 'denied', decision })).toBeNull();
  expect(temporaryChangeIdOf(open)).toBeNull();
});
