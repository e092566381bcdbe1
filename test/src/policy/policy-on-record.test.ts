import { describe, expect, it } from 'vitest';
import { parsePolicy } from '../../../src/policy/policy-file.ts';
import { policyOnRecord } from '../../../src/policy/policy-on-record.ts';
import { variables } from './variables.ts';

describe('the audited policy', () => {
  const permission = { role: 'operator', doing: 'show cards' } as const;
  const wordsOf = (text: string): string =>
    policyOnRecord({ show: { permission } }, parsePolicy(text, 'policy.yaml', variables)).words;

  it('says in one line who may do what, and where that is configured', () => {
    expect(wordsOf('version: 1\noperators: [U9, U8]\napprovers: []')).toBe(
      'operators (U8 U9): show; approvers (nobody): these and ; holders, their own card: ; ' +
        '2 approvers for a raise above $1,000.00; from policy.yaml',
    );
  });

  it('names no amount if one approver may allow any', () => {
    const text = 'version: 1\namounts: [{ approvals: 1 }]';

    expect(wordsOf(text)).toContain('2 approvers for a change without an amount;');
  });

  it('says how many approvers are needed right above the amount that one may approve', () => {
    const text = 'version: 1\namounts: [{ up_to: 500, approvals: 1 }, { approvals: 3 }]';

    expect(wordsOf(text)).toContain('; 3 approvers for a raise above $500.00;');
  });

  it('names the card groups with separate rules', () => {
    const groups = '[{ cards: [North, Van], approvers: [U5] }, { cards: [South], approvers: [U6] }]';

    expect(wordsOf(`version: 1\ngroups: ${groups}`)).toContain('; other rules for cards in North, Van; South; from');
  });
});
