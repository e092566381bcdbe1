import { describe, expect, it } from 'vitest';
import { homeOwnRequests, homeRequests, type WaitingRequest } from '../../../templates/app-home/home-waiting.ts';
import { inFlight, openRequestOf, raiseDaily } from '../../support/limit-requests.ts';
import { ask } from '../../support/perform-world.ts';
import { shown } from '../shown.ts';

const waiting = (over: Parameters<typeof openRequestOf>[0], mayDecide = true): WaitingRequest => ({
  ...openRequestOf(over),
  mayDecide,
});
const toDecide = (over: Parameters<typeof openRequestOf>[0]): string => shown(homeRequests([waiting(over)], {}));
const own = (over: Parameters<typeof openRequestOf>[0]): string => shown(homeOwnRequests([waiting(over, false)], {}));

describe('an approval that the card service did not confirm', () => {
  it.each([
    ['who decides', toDecide, 'check the card.'],
    ['the holder who asked', own, 'an approver can check the card.'],
  ])('is shown to %s', (_who, read, words) => {
    expect(read({ inFlight: [inFlight('unconfirmed')] })).toMatch(
      new RegExp(`<@U0BEN> .*but the card service did not confirm the change\\. It may still have been made: ${words}`),
    );
    expect(read({ inFlight: [inFlight('sent')] })).toContain('I’m checking whether the change was made.');
    expect(read({ inFlight: [inFlight('begun')] })).not.toContain('<@U0BEN>');
  });

  it('tells an approver who asked to check the card', () => {
    expect(own({ action: ask('limit'), inFlight: [inFlight('unconfirmed')] })).toContain(
      'It may still have been made: check the card.',
    );
  });
});

it('gives each reader the advice that they can follow once the limit is high enough', () => {
  const enough = { changes: [{ ...raiseDaily, from: 100_000 }] };

  expect(toDecide(enough)).toContain('Already enough: daily limit $1,000.00. Deny it, or let it expire.');
  expect(own(enough)).toContain('Already enough: daily limit $1,000.00. Withdraw it, or let it expire.');
});
