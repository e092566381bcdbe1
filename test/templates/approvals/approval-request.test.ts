import { describe, expect, it } from 'vitest';
import type { ApprovalRequest, OpenRequest } from '../../../src/approvals/request.ts';
import { noCard } from '../../../src/core/card-facts.ts';
import { homeOwnRequests, homeRequests } from '../../../templates/app-home/home-waiting.ts';
import { approvalRequest } from '../../../templates/approvals/approval-request.ts';
import { decideForm } from '../../../templates/approvals/decide-form.ts';
import { overrideNotice, requestReminder } from '../../../templates/approvals/request-notes.ts';
import { requestDecided } from '../../../templates/holders/holder-request.ts';
import { limitChange } from '../../support/limit-goals.ts';
import { askedAt, openRequestOf, raiseDaily } from '../../support/limit-requests.ts';
import { ask } from '../../support/perform-world.ts';
import { temporaryChangeOf } from '../../support/temporary-changes.ts';
import { buttonIds, shown } from '../shown.ts';

const facts = {
  purchase: {
    amountCents: 8410,
    merchant: 'Corner Diner',
    kind: 'Restaurants',
    link: 'https://example.slack.com/archives/C1/p1',
  },
  left: [{ period: 'weekly' as const, limitCents: 100_000, remainingCents: 80_000 }],
  there: [{ at: askedAt, amountCents: 7900 }],
  earlier: ['approved' as const, 'denied' as const],
};
const counted = {
  rule: raiseDaily.rule,
  ownCents: 160_000,
  earlier: [],
  aboveCents: 100_000,
  cap: null,
};
const ruleset = { id: 7, name: 'Travel', mayOverrule: false };

const inChannel = (request: ApprovalRequest): string => shown(approvalRequest(request).blocks);

/** The same request in App Home. */
const inHome = (request: OpenRequest): string => shown(homeRequests([{ ...request, mayDecide: true }], {}));

describe.each([
  ['its channel', inChannel],
  ['App Home', inHome],
])('a request, in %s,', (_where, read) => {
  it.each<[string, RegExp]>([
    ['the purchase: amount, merchant and kind of merchant', /wants to pay \$\d+\.\d\d at Corner Diner \(Restaurants\)/],
    ['the decline, with a link', /<https:\/\/example\.slack\.com\/archives\/C1\/p1\|Open the alert>/],
    ['the limit now and afterwards', /daily limit \$400\.00 → \$900\.00/i],
    ['the duration', /For 1 hour/],
    ['what is left of the longer limits', /Weekly: \$800\.00 of \$1,000\.00 left/],
    ['the last purchases there', /Earlier purchases there.*\$79\.00/s],
    ['the earlier requests', /Earlier requests, 30 days.*1 approved.*1 denied/is],
    [
      'that it may take the card off its ruleset',
      /follows the spending ruleset “Travel”\. This change may take it off/,
    ],
  ])('shows %s', (_what, words) => {
    const request = openRequestOf({ facts });
    expect(read({ ...request, card: { ...request.card, ruleset } })).toMatch(words);
  });

  it('shows the kind of a merchant without a name', () => {
    const purchase = { ...facts.purchase, merchant: '' };

    expect(read(openRequestOf({ facts: { ...facts, purchase } }))).toMatch(
      /wants to pay \$\d+\.\d\d at a merchant without a name \(Restaurants\)/,
    );
    expect(read(openRequestOf({ facts: { ...facts, purchase: { ...purchase, kind: null } } }))).not.toContain(
      'without a name',
    );
  });

  it('says as of when other limits had so much left, and that the change is not enough by now', () => {
    const left = [{ period: 'weekly', limitCents: 90_000, remainingCents: 95_000 }] as const;
    const request = openRequestOf({ facts: { ...facts, left: [...left], isTooLittle: true } });

    expect(read(request)).toMatch(/Weekly: \$950\.00 of \$900\.00 left\s*<!date\^\d+\^As of /);
    expect(read(request)).toContain('This is not enough for $900.00 by now.');
    expect(read(openRequestOf({ facts: { ...facts, left: [] } }))).not.toMatch(/As of|not enough for/);
  });

  it('says that another limit has too little left for the purchase and its padding', () => {
    const request = (paddingCents: number) =>
      openRequestOf({
        facts: {
          ...facts,
          purchase: { ...facts.purchase, paddingCents },
          left: [{ period: 'weekly', limitCents: 100_000, remainingCents: 91_000 }],
        },
      });

    expect(read(request(1000))).not.toContain('(too little)');
    expect(read(request(1001))).toContain('Weekly: $910.00 of $1,000.00 left (too little)');
  });

  it('shows that the card is blocked, and that a raise may not be enough if nothing was left', () => {
    const usedUp = openRequestOf({ facts: { ...facts, isUsedUp: true }, isBlocked: true });

    expect(read(usedUp)).toContain('The card is blocked: nothing is paid until an approver unblocks it.');
    expect(read(usedUp)).toContain('the card may have spent more than its limit, so this may not be enough.');
    expect(read(openRequestOf({ facts }))).not.toMatch(/is blocked|may not be enough/);
  });

  it('shows that the balance of the card did not cover the purchase either', () => {
    const request = openRequestOf({ facts: { ...facts, alsoNeeds: ['balance'] } });

    expect(read(request)).toContain(
      'The card’s balance did not cover this purchase either. Until that is changed, it may be declined again.',
    );
    expect(read(openRequestOf({ facts: { ...facts, purchase: null, alsoNeeds: ['balance'] } }))).toContain(
      'Until that is changed, it may be declined.',
    );
    expect(read(openRequestOf({ facts }))).not.toContain('balance');
  });

  it('shows what else the purchase needs', () => {
    const request = openRequestOf({ facts: { ...facts, alsoNeeds: ['raise_limit'] } });

    expect(read(request)).toContain('A limit is too small, too. Until that is changed, it may be declined again.');
    expect(read(openRequestOf({ facts }))).not.toContain('too small');
  });

  it('shows how many approvals are needed, and why', () => {
    const approvals = [{ by: 'U0ANA', at: askedAt, actionId: null }];
    expect(read(openRequestOf())).toMatch(/needs one approval/i);
    expect(read(openRequestOf({ needed: 2, counted, approvals }))).toMatch(
      /2 approvals: more than \$1,000\.00 in 24 hours\.\* This raises the daily limit by \$1,600\.00/,
    );
    expect(read(openRequestOf({ needed: 2, approvals }))).toContain('2 approvals:* whoever asked counts as one');
    expect(read(openRequestOf({ needed: 2, approvals, orderCents: 160_000, changes: [] }))).toContain(
      '2 approvals:* it is more than one person may order within 24 hours.',
    );
  });

  it.each<[string, OpenRequest['orderWhy'], string]>([
    ['of its amount alone', { kind: 'amount' }, 'it is more than one person may order alone.'],
    ['of other orders', { kind: 'day' }, 'it is more than one person may order within 24 hours.'],
    [
      'of a cap',
      { kind: 'cap', cap: { scope: 'program', days: 30, earlierCents: 90_000, capCents: 100_000 } },
      'it goes over the cap for all cards together: $900.00 of $1,000.00 used within 30 days.',
    ],
  ])('says that an order needs two approvals because %s', (_what, orderWhy, words) => {
    const order = openRequestOf({ needed: 2, orderCents: 160_000, changes: [], orderWhy });

    expect(read(order)).toContain(`2 approvals:* ${words}`);
  });

  it('shows the duration even if there are more limits than fields', () => {
    const periods = ['daily', 'weekly', 'monthly', 'yearly', 'lifetime'] as const;
    const changes = periods.flatMap((period) =>
      [null, { id: 1, name: 'Fuel' }].map((category) => ({
        rule: { kind: 'limit' as const, period, category },
        from: 1,
        to: 2,
      })),
    );
    expect(read(openRequestOf({ changes, facts }))).toContain('For 1 hour');
  });
});

it('after Change and approve shows who asked for what and who decided what', () => {
  const request = openRequestOf({
    changes: [{ ...raiseDaily, to: 60_000 }],
    goals: [{ rule: raiseDaily.rule, to: 90_000 }],
    approvals: [{ by: 'U0ANA', at: askedAt, actionId: 'act_ana' }],
  });
  const decision = { actionId: 'act_ana', by: 'U0ANA', at: askedAt };

  // What they did not ask for must not read as if they had.
  const summary = /, changed by an approver: [^.]*\$400\.00 → \$600\.00/;
  expect(inChannel(request)).toMatch(summary);
  expect(requestReminder([{ request, link: null }], []).text).toMatch(summary);
  expect(inChannel(openRequestOf())).not.toContain('changed by an approver');
  expect(inChannel({ ...request, state: 'approved', decision, temporaryChangeId: null })).toMatch(
    /<@U0HUGO> asked for: .*\$900\.00, for 1 hour\. <@U0ANA> changed it to: .*\$600\.00, for 1 hour\./,
  );
});

it('does not warn that no limit at all may not be enough', () => {
  const usedUp = { ...facts, isUsedUp: true };
  const removal = openRequestOf({ facts: usedUp, changes: [{ ...raiseDaily, to: null }] });

  expect(inChannel(openRequestOf({ facts: usedUp }))).toContain('may not be enough');
  expect(inChannel(removal)).not.toContain('may not be enough');
});

it('labels the buttons of a request for several cards with their number', () => {
  const action = ask('block-all', { acctIds: [1, 2], names: ['A', 'B'] });
  const request = openRequestOf({ action, changes: [], goals: [], card: noCard });

  const all = [approvalRequest(request).blocks, homeRequests([{ ...request, mayDecide: true }], {})];
  const own = homeOwnRequests([{ ...request, mayDecide: false }], {});
  const labels = (blocks: unknown) =>
    JSON.stringify(blocks)
      .match(/"accessibility_label":"[^"]*"/g)
      ?.join(' ') ?? '';
  for (const blocks of all) expect(labels(blocks)).toMatch(/Approve.*the request for blocking 2 cards/);
  expect(labels(own)).toContain('Withdraw your request for blocking 2 cards');
});

describe('an approval that is void', () => {
  const because = (why: 'moved' | 'values' | 'rights', by = 'U0BEN') => ({ by, why, standsInFor: null });

  it.each([
    ['moved', 'no longer counts: the card was changed after it.'],
    ['values', 'no longer counts: it was for other values.'],
    ['rights', 'no longer counts: they may not approve this any more.'],
  ] as const)('is named with its reason: %s', (why, words) => {
    const text = inChannel(openRequestOf({ voided: [because(why)] }));

    expect(text).toContain(`The approval of <@U0BEN> ${words}`);
  });

  it('shares a line with others that are void for the same reason, and shows the newest one', () => {
    const voided = [because('moved'), because('values'), because('values', 'U0ZOE'), because('rights', 'U0CAL')];
    const text = inChannel(openRequestOf({ voided }));

    expect(text).toContain('The approvals of <@U0BEN> and <@U0ZOE> no longer count: they were for other values.');
    expect(text).toContain('The approval of <@U0CAL> no longer counts: they may not approve this any more.');
    expect(text).not.toContain('the card was changed');
  });

  it('is not named once the person has approved again', () => {
    const approvals = [{ by: 'U0BEN', at: askedAt, actionId: 'act_ben' }];
    const text = inChannel(openRequestOf({ approvals, needed: 2, voided: [because('moved')] }));

    expect(text).not.toContain('no longer counts');
  });
});

describe('after an emergency override that an approver had approved in part', () => {
  const request = {
    ...openRequestOf({
      changes: [{ ...raiseDaily, to: 60_000 }],
      goals: [{ rule: raiseDaily.rule, to: 90_000 }],
      approvals: [{ by: 'U0ANA', at: askedAt, actionId: 'act_ana' }],
      needed: 2,
    }),
    state: 'overridden',
    decision: { actionId: 'act_olga', by: 'U0OLGA', at: askedAt },
    temporaryChangeId: null,
  } as const;

  it('names the person who used it as the one who changed the request', () => {
    expect(inChannel(request)).toMatch(/<@U0OLGA> changed it to: .*\$600\.00/);
    expect(inChannel(request)).toContain(', changed by the emergency override: ');
    expect(inChannel(request)).not.toMatch(/<@U0ANA> changed it|changed by an approver/);
  });

  it('is called one, also among earlier requests', () => {
    const earlier = ['overridden' as const, 'approved' as const, 'overridden' as const];
    const { text, blocks } = approvalRequest({ ...request, facts: { ...request.facts, earlier } });

    expect(text).toMatch(/^Emergency override: <@U0HUGO> /);
    expect(shown(blocks)).toMatch(/Emergency override: .* for Jane Doe · card 1212/);
    expect(shown(blocks)).toContain('2 by emergency override, 1 approved');
    expect(shown(blocks)).not.toMatch(/without an approver/i);
  });

  it('does not say that no approver answered', () => {
    expect(inChannel(request)).toContain('Only 1 of 2 approvals in time (<@U0ANA>). Done by emergency override');
    expect(overrideNotice(request, ['U0BEN']).text).toContain('only 1 of 2 approvals in time.');
    expect(inChannel({ ...request, approvals: [] })).toContain('No approver answered in time. ');
    expect(overrideNotice({ ...request, approvals: [] }, []).text).toContain('no approver answered in time.');
  });
});

it.each(['denied', 'withdrawn', 'expired'] as const)('names who had approved a request that was %s', (state) => {
  const approvals = [{ by: 'U0ANA', at: askedAt, actionId: 'act_ana' }];
  const decision = { actionId: 'act_1', by: 'U0OLGA', at: askedAt };
  const request = { ...openRequestOf({ needed: 2, approvals }), decision, state };

  expect(inChannel(request)).toContain('. Approved by <@U0ANA> before that. Nothing changed.');
  expect(inChannel({ ...request, approvals: [] })).not.toContain('Approved by');
});

it('does not say that the card is blocked once it is decided: it may work again', () => {
  const decision = { actionId: 'act_ana', by: 'U0ANA', at: askedAt };
  const approved = openRequestOf({ isBlocked: true });

  expect(inChannel({ ...approved, state: 'approved', decision, temporaryChangeId: null })).toMatch(
    /^(?!.*The card is blocked).*The card was blocked then\./s,
  );
});

it('names no amount as the reason for more approvals if one person may allow any', () => {
  const request = openRequestOf({ needed: 2, counted: { ...counted, ownCents: null, aboveCents: null } });

  expect(inChannel(request)).toContain('2 approvals: it has no amount.');
});

it('the form for an emergency override names the maximum raise, if there is one', () => {
  const form = (capCents: number | null): string => {
    const purpose = 'override';
    const today = '2026-11-20';
    return JSON.stringify(decideForm({ privateMetadata: 'p_1', purpose, request: openRequestOf(), capCents, today }));
  };

  expect(form(100_000)).toContain('At most $1,000.00 more, for at most an hour');
  expect(form(null)).toContain('For at most an hour, once a day for each card.');
});

it('names no approver as having changed a request if a limit is left out because it is higher by now', () => {
  const weekly = { rule: { kind: 'limit', period: 'weekly', category: null }, to: 250_000 } as const;
  const request = openRequestOf({
    goals: [{ rule: raiseDaily.rule, to: 90_000 }, weekly],
    approvals: [{ by: 'U0ANA', at: askedAt, actionId: 'act_ana' }],
  });
  const decision = { actionId: 'act_ana', by: 'U0ANA', at: askedAt };
  const shown = inChannel({ ...request, state: 'approved', decision, temporaryChangeId: null });

  expect(shown).toMatch(/At least that already, so not changed: weekly limit\./);
  expect(shown).not.toContain('changed it to');
});

it('names the limits of an approved request that still go back, and those that a later change replaced', () => {
  const weekly = limitChange('weekly', 200_000, 250_000);
  const request = openRequestOf({ changes: [raiseDaily, weekly] });
  const decision = { actionId: 'act_1', by: 'U0ANA', at: askedAt };
  const made = temporaryChangeOf({ changes: [weekly], requestId: request.id });
  const message = approvalRequest({ ...request, state: 'approved', decision, temporaryChangeId: made.id }, made);

  expect(shown(message.blocks)).toMatch(
    /Weekly limit: Goes back to \$2,000\.00 .*\nReplaced by a later change: daily limit\./,
  );
  expect(buttonIds(message.blocks)).toContain('revert_now');
});

describe('a request about a limit that has another value for the moment', () => {
  const moment = { rule: raiseDaily.rule, now: 60_000, back: 40_000, until: '2026-11-20T19:00:00.000Z' };
  const temporarily = openRequestOf({ temporary: [moment] });
  const back = 'back to $400.00<!date^1795201200^, {date_short_pretty} at {time}|, Nov 20, 2026, 2:00 PM ET>';
  const decision = { actionId: 'act_1', by: 'U0ANA', at: askedAt };

  it('shows the current value and what it goes back to, wherever it waits', () => {
    for (const seen of [inChannel(temporarily), inHome(temporarily)]) {
      expect(seen).toContain('daily limit $600.00 → $900.00');
      expect(seen).not.toContain('+$300.00');
      expect(seen).toContain(
        `Temporary now: daily limit $600.00, ${back}. The raise is counted from $400.00: +$500.00.`,
      );
    }
    const form = decideForm({
      privateMetadata: 'p',
      purpose: 'change',
      request: temporarily,
      capCents: null,
      today: '2026-11-20',
    });
    expect(JSON.stringify(form.blocks)).toContain(`Daily limit: $600.00 now (temporarily; ${back}), $900.00 asked for`);
    const { text } = requestReminder([{ request: temporarily, link: null }], ['U0ANA']);
    expect(text).toContain(`daily limit $600.00, ${back}. The raise is counted from $400.00: +$500.00.`);
    expect(text).not.toContain('+$300.00');
  });

  it('says that an approver decides, if its time is over', () => {
    expect(inChannel(openRequestOf({ temporary: [{ ...moment, until: null }] }))).toContain(
      'Temporary now: daily limit $600.00, an approver decides whether it goes back to $400.00.',
    );
  });

  it('does not name another value that a raise is counted from if it ends earlier', () => {
    const shorter = openRequestOf({ changes: [{ ...raiseDaily, from: 60_000 }], temporary: [moment] });

    expect(inChannel(shorter)).toContain('Temporary now: ');
    expect(inChannel(shorter)).not.toContain('is counted from');
  });

  it('asks to keep a value that is wanted already', () => {
    const kept = openRequestOf({ temporary: [{ ...moment, now: 90_000 }] });

    expect(inChannel(kept)).toContain('Approval needed: keep $900.00 for ');
    expect(inChannel(kept)).not.toContain('$900.00 → $900.00');
  });

  it('shows what was changed once it is decided, and no end that may be over', () => {
    const approved = { ...temporarily, state: 'approved', decision, temporaryChangeId: null } as const;

    expect(inChannel(approved)).toContain('daily limit $600.00 → $900.00');
    expect(inChannel(approved)).not.toContain('Temporary now');
    expect(requestDecided(approved).text).toContain('daily limit $600.00 → $900.00');
    const overridden = { ...temporarily, state: 'overridden', decision, temporaryChangeId: null } as const;
    expect(overrideNotice(overridden, ['U0ANA']).text).toContain('Daily limit $600.00 → $900.00');
  });
});

it('a reminder is one message for all open requests, with amounts and links', () => {
  const waiting = [openRequestOf({ facts }), openRequestOf({ id: 'req_2', changes: [{ ...raiseDaily, to: 50_000 }] })];
  const { blocks } = requestReminder(
    waiting.map((request) => ({ request, link: `https://example.slack.com/${request.id}` })),
    ['U0ANA'],
  );

  expect(shown(blocks)).toMatch(
    /2 requests are waiting.*\$400\.00 → \$900\.00.*<https:\/\/example\.slack\.com\/req_ask1\|Open>.*\$400\.00 → \$500\.00.*req_2\|Open>.*<@U0ANA>/s,
  );
});

it('does not call it a raise if nothing rises', () => {
  const request = openRequestOf({ changes: [{ ...raiseDaily, to: 39_900 }] });

  expect(approvalRequest(request).text).not.toContain('raise');
  expect(inChannel(request)).not.toContain('raise to');
});

describe('a request whose limit has become high enough meanwhile', () => {
  const enough = { changes: [{ ...raiseDaily, from: 100_000 }] };

  it.each([
    [
      'asks for a limit',
      openRequestOf({ facts, ...enough, action: ask('limit') }),
      /asks for daily limit \$900\.00.* so that \$84\.10/,
    ],
    ['wants to pay', openRequestOf({ facts, ...enough }), /wants to pay \$\d+\.\d\d.*: daily limit \$900\.00/],
  ])(
    'of a person who %s is headed as no longer needed, and is not shown as a change that lowers it',
    (_who, request, asks) => {
      expect(approvalRequest(request).text).toMatch(/^No longer needed: /);
      expect(inChannel(request)).toMatch(/^No longer needed: daily limit \$900\.00 for /);
      for (const read of [inChannel, inHome]) {
        expect(read(request)).toMatch(asks);
        expect(read(request)).not.toContain('→');
        expect(read(request)).toContain('Already enough: daily limit $1,000.00.');
      }
    },
  );

  const buttonsOf = (request: OpenRequest) => [
    ...buttonIds(approvalRequest(request).blocks),
    ...buttonIds(homeRequests([{ ...request, mayDecide: true }], {})),
  ];

  it('has no button that can only be refused', () => {
    const buttons = buttonsOf(openRequestOf({ ...enough, remindedAt: '2026-11-21T14:00:00.000Z' }));

    expect(buttons).not.toContain('decide_request_approve');
    expect(buttons).not.toContain('break_glass');
    expect(buttonsOf(openRequestOf({ remindedAt: '2026-11-21T14:00:00.000Z' }))).toContain('break_glass');
  });

  it('can be approved if the limit is exactly as asked, which closes it', () => {
    const request = openRequestOf({ changes: [{ ...raiseDaily, from: raiseDaily.to }] });

    expect(buttonsOf(request).filter((id) => id === 'decide_request_approve')).toHaveLength(2);
    expect(inChannel(request)).toContain('Already enough: daily limit $900.00. Approve or deny it, or let it expire.');
  });

  it('says that an approver had changed what was asked for', () => {
    const request = openRequestOf({
      facts,
      goals: [{ rule: raiseDaily.rule, to: 90_000 }],
      changes: [{ ...raiseDaily, to: 80_000, from: 100_000 }],
    });

    for (const read of [inChannel, inHome]) expect(read(request)).toContain(', changed by an approver');
  });
});

it('names no amount as the reason of two approvals if there is none', () => {
  const approvals = [{ by: 'U0ANA', at: askedAt, actionId: null }];
  const text = inChannel(openRequestOf({ needed: 2, approvals, counted: { ...counted, ownCents: null } }));

  expect(text).toContain('2 approvals: it has no amount.');
});
