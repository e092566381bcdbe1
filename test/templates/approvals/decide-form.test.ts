import type { KnownBlock } from '@slack/types';
import { describe, expect, it } from 'vitest';
import type { OpenRequest } from '../../../src/approvals/request.ts';
import { noFacts } from '../../../src/approvals/request-facts.ts';
import { type DecidePurpose, decideForm } from '../../../templates/approvals/decide-form.ts';
import { askedAt, inFlight, openRequestOf, raiseDaily } from '../../support/limit-requests.ts';
import { shown } from '../shown.ts';

const form = (request: OpenRequest, purpose: DecidePurpose = 'change'): string => {
  const view = decideForm({ privateMetadata: 'p_1', purpose, request, capCents: null, today: '2026-11-20' });
  return shown(view.blocks as KnownBlock[]);
};

it.each(['change', 'deny', 'override'] as const)('says that an approval may already be made: %s', (purpose) => {
  expect(form(openRequestOf({ inFlight: [inFlight('unconfirmed')] }), purpose)).toContain(
    'It may still have been made: check the card.',
  );
  expect(form(openRequestOf(), purpose)).not.toContain('check the card');
});

describe('after another approver has changed the request', () => {
  const goals = [{ rule: raiseDaily.rule, to: 90_000 }];
  const approvals = [{ by: 'U0ANA', at: askedAt, actionId: 'act_ana' }];

  it('shows who changed what, and does not say that it was asked for', () => {
    const text = form(openRequestOf({ changes: [{ ...raiseDaily, to: 60_000 }], goals, approvals, needed: 2 }));

    expect(text).toContain('Daily limit: $400.00 now\n');
    expect(text).toContain(
      '<@U0HUGO> asked for: daily limit $900.00, for 1 hour. <@U0ANA> changed it to: daily limit $600.00, for 1 hour.',
    );
    expect(text).not.toContain('$600.00 asked for');
  });

  it('shows a duration that was changed', () => {
    const text = form(openRequestOf({ term: { kind: 'permanent' }, goals, approvals, needed: 2 }));

    expect(text).toContain('<@U0ANA> changed it to: daily limit $900.00, permanent.');
  });
});

it('shows what was asked for as that, the merchant and its kind', () => {
  const purchase = { amountCents: 90_000, merchant: 'Corner Diner', kind: 'Restaurants', link: null };
  const text = form(openRequestOf({ facts: { ...noFacts, purchase } }));

  expect(text).toContain('Daily limit: $400.00 now, $900.00 asked for');
  expect(text).toContain('To pay $900.00 at Corner Diner (Restaurants)');
  expect(text).not.toContain('changed it');
});
