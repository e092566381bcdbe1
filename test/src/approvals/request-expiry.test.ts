import { expect, it } from 'vitest';
import type { OpenRequest } from '../../../src/approvals/request.ts';
import { asAskedFor, expiryOf, isAmendmentOver, whyNotDecided } from '../../../src/approvals/request-expiry.ts';
import type { Term } from '../../../src/card-api/rule-change.ts';
import { limitGoal } from '../../support/limit-goals.ts';
import { openRequestOf } from '../../support/limit-requests.ts';
import { ask } from '../../support/perform-world.ts';

const hour: Term = { kind: 'duration', ms: 3_600_000 };
const until = (time: string): Term => ({ kind: 'until', at: `2026-11-20T${time}:00.000Z` });

/** A request of 15:00 that lasts until 15:00 of the next day. */
function requestFor(asked: Term, changed: Term = asked, over: Partial<OpenRequest> = {}): OpenRequest {
  const action = ask('ask', { ...openRequestOf().action, ask: { amountCents: 90_000, term: asked } });
  return openRequestOf({ action, term: changed, ...over });
}

it.each<[string, Term, Term, string, boolean]>([
  ['it starts with the change', hour, hour, '2026-11-21T15:00', false],
  ['it was asked for until then', until('16:00'), until('16:00'), '2026-11-20T16:00', true],
  ['an approver changed it to end sooner', until('17:00'), until('16:00'), '2026-11-20T17:00', true],
  ['an approver changed it to end later', until('16:00'), until('17:00'), '2026-11-20T17:00', true],
  ['only what an approver changed it to has a fixed end', hour, until('16:00'), '2026-11-21T15:00', false],
  ['only what was asked for has a fixed end', until('16:00'), hour, '2026-11-21T15:00', false],
])('a request expires when both ends are over: %s', (_what, asked, changed, at, isTermOver) => {
  const request = requestFor(asked, changed);

  expect(expiryOf(request)).toEqual({ at: `${at}:00.000Z`, isTermOver });
  expect(whyNotDecided(request)).toMatch(isTermOver ? /^It was to last until .*, and that has passed\.$/ : /24 hours/);
});

it.each<[string, Term, Term, string, boolean]>([
  ['not before its end', until('17:00'), until('16:00'), '15:59', false],
  ['from its end on', until('17:00'), until('16:00'), '16:00', true],
  ['not if what was asked for is over, too', until('17:00'), until('16:00'), '17:00', false],
  ['not if only what was asked for is over', until('16:00'), hour, '16:30', false],
])('what an approver changed it to is over: %s', (_what, asked, changed, now, isOver) => {
  expect(isAmendmentOver(requestFor(asked, changed), new Date(`2026-11-20T${now}:00.000Z`))).toBe(isOver);
});

it('is as it was asked for without what an approver changed, and without approvals of that', () => {
  const approvals = [{ by: 'U0BEN', at: '2026-11-20T15:01:00.000Z', actionId: 'act_ben' }];
  const amended = [limitGoal('daily', 50_000)];
  const changed = requestFor(hour, until('16:00'), { approvals, amended, note: 'only until noon' });

  const { changes: _read, ...asked } = requestFor(hour);

  expect(asAskedFor(changed)).toEqual({
    ...asked,
    changes: [],
    voided: [{ by: 'U0BEN', why: 'values', standsInFor: null }],
  });
});
