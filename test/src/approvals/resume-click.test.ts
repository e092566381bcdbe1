import { describe, expect, it } from 'vitest';
import { createDecisions } from '../../../src/approvals/decide-request.ts';
import { ApprovalRequest } from '../../../src/approvals/request.ts';
import { clickOfBen } from '../../support/decisions.ts';
import { held } from '../../support/held.ts';
import { askedAt, openRequestOf } from '../../support/limit-requests.ts';
import { ask } from '../../support/perform-world.ts';

const request = openRequestOf();
/** The request, decided by this click. */
const decided = (state: ApprovalRequest['state'], actionId: string): ApprovalRequest =>
  ApprovalRequest.parse({
    ...request,
    state,
    decision: { actionId, by: 'U0BEN', at: askedAt },
    ...(state === 'denied' ? {} : { temporaryChangeId: null }),
  });
const counted = { approvals: [{ by: 'U0BEN', at: askedAt, actionId: 'act_ben' }] };
const override = ask('emergency-override', {
  id: 'act_olga',
  target: { kind: 'request', requestId: 'req_ask1' },
  reason: 'at the counter',
});

const neverAsked = async (): Promise<never> => {
  throw new Error('decides nothing anew');
};

/** @param hasSent the click has sent its change before a crash. */
async function resume(
  click: Parameters<ReturnType<typeof createDecisions>['resume']>[0],
  about: ApprovalRequest,
  hasSent = false,
) {
  const steps: string[] = [];
  const decisions = createDecisions({
    progress: { read: async () => null },
    requests: { save: async () => {} },
    execution: { execute: neverAsked, resume: async () => hasSent },
    judgeClick: neverAsked,
    amend: neverAsked,
    record: async (_action, { event }) => void steps.push(`${event}`),
    finish: async ({ state }) => void steps.push(`finished ${state}`),
    updateRequest: async (id) => void steps.push(`updated ${id}`),
  });
  return { isResumed: await decisions.resume(click, about, { isLast: false, lease: held }), steps };
}

describe('a click whose job runs again', () => {
  it.each<[string, Parameters<typeof resume>, string[]]>([
    ['denies again what it denied', [clickOfBen(), decided('denied', 'act_ben')], ['denied', 'finished denied']],
    ['finishes again what it approved', [clickOfBen(), decided('approved', 'act_ben')], ['finished approved']],
    ['finishes again what it overrode', [override, decided('overridden', 'act_olga')], ['finished overridden']],
    ['shows again that it was counted', [clickOfBen(), openRequestOf(counted)], ['updated req_ask1']],
    [
      'shows again that it was counted, although somebody else has decided since',
      [clickOfBen(), { ...decided('denied', 'act_zoe'), ...counted }],
      ['updated req_ask1'],
    ],
    ['continues a change that it sent', [clickOfBen(), request, true], []],
    [
      'continues a change that it sent, although somebody else has decided since',
      [clickOfBen(), decided('denied', 'act_zoe'), true],
      [],
    ],
  ])('%s', async (_what, given, expected) => {
    expect(await resume(...given)).toEqual({ isResumed: true, steps: expected });
  });
});

it.each<[string, ApprovalRequest]>([
  ['nobody has decided', request],
  ['somebody else has decided', decided('approved', 'act_zoe')],
  ['somebody else has approved', openRequestOf({ approvals: [{ by: 'U0ZOE', at: askedAt, actionId: 'act_zoe' }] })],
])('a click that has done nothing yet has nothing to resume if %s', async (_what, about) => {
  expect(await resume(clickOfBen(), about)).toEqual({ isResumed: false, steps: [] });
});
