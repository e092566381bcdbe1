import { describe, expect, it } from 'vitest';
import { toOutcome } from '../../../src/actions/report.ts';
import { approvalOf, asRequested, changeOf } from '../../../src/approvals/execute-approval.ts';
import { outcomeLine, resolutionOf } from '../../../templates/actions/outcomes.ts';
import { openRequestOf } from '../../support/limit-requests.ts';
import { ask } from '../../support/perform-world.ts';
import { card, outcome } from '../fixtures.ts';

const onRequest = { target: { kind: 'request', requestId: 'req_ask1' }, reason: 'at the counter' } as const;

/** What the alert shows of a request that this click decides. */
function decidedBy(verb: 'emergency-override' | 'decide') {
  const click =
    verb === 'decide'
      ? ask('decide', { ...onRequest, approve: true })
      : ask('emergency-override', { ...onRequest, roles: ['operator'] });
  const request = openRequestOf();
  const action = changeOf(click, request, approvalOf(click, asRequested(click, request)));
  const sides = { before: 'daily limit $400.00', after: 'daily limit $900.00' };
  const result = { state: 'done', card, ...sides, apiWords: null, note: null } as const;
  return toOutcome(action, action.verb, result, '2026-11-20T14:18:00Z');
}

describe('a change by emergency override', () => {
  const paid = outcome({ verb: 'paid', by: null, at: '2026-11-20T14:20:00Z' });

  it('is not called an approval', () => {
    const [overridden, approved] = [decidedBy('emergency-override'), decidedBy('decide')];

    expect(resolutionOf([overridden, paid], '2026-11-20T14:14:00Z')?.words).toMatch(
      /^Emergency override by <@\w+>, paid at /,
    );
    expect(outcomeLine(overridden)).toMatch(/^\*Limit changed\* by <@\w+> \(emergency override\) at /);
    expect(resolutionOf([approved, paid], '2026-11-20T14:14:00Z')?.words).toMatch(/^Approved by <@\w+>, paid at /);
    expect(outcomeLine(approved)).toMatch(/^\*Limit changed\* by <@\w+> at /);
  });
});
