import { describe, expect, it } from 'vitest';
import { requestDecided, requestUnconfirmed } from '../../../templates/holders/holder-request.ts';
import { askedAt, inFlight, openRequestOf } from '../../support/limit-requests.ts';

const decision = { actionId: 'act_1', by: 'U0OLGA', at: askedAt };

describe('a request that an operator decided by emergency override', () => {
  const overridden = { ...openRequestOf(), state: 'overridden', decision, temporaryChangeId: null } as const;
  const unconfirmed = { isConfirmed: false, endsAt: null };

  it.each([
    ['made', requestDecided(overridden), /^<@U0OLGA> used the emergency override: try again now\. /],
    [
      'made on a blocked card',
      requestDecided({ ...overridden, isBlocked: true }),
      /^<@U0OLGA> used the emergency override, but your card 1212 is blocked\. /,
    ],
    [
      'not confirmed',
      requestDecided(overridden, unconfirmed),
      /^<@U0OLGA> used the emergency override, but the card service has not confirmed it\. /,
    ],
    [
      'uncertain',
      requestUnconfirmed(openRequestOf(), { ...inFlight('sent'), kind: 'override', by: 'U0OLGA' }),
      /^<@U0OLGA> used the emergency override, but the card service has not confirmed it\. /,
    ],
  ])('and that is %s does not call that an approval', (_what, { text }, expected) => {
    expect(text).toMatch(expected);
    expect(text).not.toMatch(/approved/i);
  });

  it('without a known outcome, and was denied later, does not speak of an earlier approval', () => {
    const earlier = { ...inFlight('unconfirmed'), kind: 'override' } as const;

    const { text } = requestDecided({ ...openRequestOf({ inFlight: [earlier] }), state: 'denied', decision });

    expect(text).toContain('An earlier emergency override may have changed something');
  });
});
