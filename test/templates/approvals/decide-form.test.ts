import type { KnownBlock } from '@slack/types';
import { expect, it } from 'vitest';
import type { OpenRequest } from '../../../src/approvals/request.ts';
import { type DecidePurpose, decideForm } from '../../../templates/approvals/decide-form.ts';
import { inFlight, openRequestOf } from '../../support/limit-requests.ts';
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
