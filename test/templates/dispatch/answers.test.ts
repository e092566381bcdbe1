import { describe, expect, it } from 'vitest';
import type { ApprovalRequest } from '../../../src/approvals/request.ts';
import { goalsOf } from '../../../src/card-api/rule-change.ts';
import { helpFor } from '../../../src/dispatch/verbs.ts';
import { actionResult } from '../../../templates/actions/action-result.ts';
import { confirmActivation } from '../../../templates/actions/confirm-activation.ts';
import { approvalRequest } from '../../../templates/approvals/approval-request.ts';
import { auditLine } from '../../../templates/audit/audit-line.ts';
import { cardShow } from '../../../templates/directory/card-show.ts';
import { chooseCard } from '../../../templates/directory/choose-card.ts';
import { help } from '../../../templates/dispatch/help.ts';
import { unclear } from '../../../templates/dispatch/unclear.ts';
import { remedyForm } from '../../../templates/limits/remedy-form.ts';
import { opsNotice } from '../../../templates/ops/ops-notice.ts';
import { refusal } from '../../../templates/policy/refusal.ts';
import { checkBlocks } from '../../../workspace/block-limits.ts';
import { commandWords } from '../../support/command-words.ts';
import { limitChange, limitRaise, remedyOf } from '../../support/limit-goals.ts';
import { ask } from '../../support/perform-world.ts';
import { answer } from '../answer-fixtures.ts';
import { dailyRaise } from '../fixtures.ts';
import { buttonIds, buttons, shown, texts } from '../shown.ts';

const everyRole = ['holder', 'operator', 'approver'] as const;

it('quotes a time that cannot be read as it was typed', () => {
  const why = '“until 2026-11-20T22:00:00Z” is not a time I can read.';

  expect(unclear({ why, usage: 'limit' }).text).toContain(why);
});

it('names /card help once if nothing else can be suggested', () => {
  expect(shown(unclear({ why: 'I don’t know “foo”.', usage: 'help' }).blocks).match(/\/card help/g)).toHaveLength(1);
});

it('says why a change could not be made before it says that nothing changed', () => {
  const note = 'The daily limit would be above the monthly limit.';
  const { blocks } = actionResult({ ...answer.result, state: 'failed', note });

  expect(shown(blocks)).toMatch(/Could not change the limit of .*above the monthly limit\..*Nothing changed\./s);
});

describe('help', () => {
  it('has all typed verbs, each with an example that starts with it', () => {
    expect([...new Set(helpFor(everyRole, everyRole).own.map(({ usage }) => usage.split(' ')[0]))].toSorted()).toEqual(
      commandWords.toSorted(),
    );
    for (const { usage, example } of helpFor(everyRole, everyRole).own)
      expect(example.startsWith(usage.split(' ', 1).join(''))).toBe(true);
  });

  it('names each verb once for screen readers', () => {
    const spoken = help(helpFor(everyRole, everyRole)).text.match(/\/card \w+/g) ?? [];

    expect(spoken).toEqual([...new Set(spoken)]);
    expect(spoken).toHaveLength(commandWords.length);
  });

  it('lists what this person may do, the five most used first, with examples', () => {
    const [first = '', more = ''] = shown(help(helpFor(['operator'], ['operator'])).blocks).split('*More*');
    const verbsIn = (text: string) => [...text.matchAll(/`\/card ([a-z]+)[^`]*` – /g)].map(([, verb]) => verb);

    expect(verbsIn(first)).toEqual(['show', 'block', 'declines', 'activate', 'track']);
    expect(more).not.toMatch(/`\/card (limit|unblock|ask)/);
    expect(shown(help(helpFor(['holder'], ['holder'])).blocks)).toMatch(
      /`\/card ask.*`\/card block|`\/card block.*`\/card ask/s,
    );
    expect(shown(help(helpFor([], [])).blocks)).toMatch(/Other roles can also use: .*\/card show, .*\/card limit/);
  });

  it('does not say that others can use what this person can', () => {
    const others =
      /Other roles can also use: (.*)\./.exec(shown(help(helpFor(['operator'], ['operator'])).blocks))?.[1] ?? '';

    expect(others).toContain('/card limit');
    expect(others.split(', ')).not.toContain('/card link');
    expect(others.split(', ')).not.toContain('/card virtual');
  });

  it.each([
    { who: 'an operator', roles: ['operator'] as const, says: 'a custom id, or the holder’s name', form: true },
    { who: 'a holder', roles: ['holder'] as const, says: 'a card that is linked to you', form: true },
    { who: 'anybody else', roles: [] as const, says: 'the last four digits of your card', form: false },
  ])('tells $who how to name a card, and of the form only if it opens for them', ({ roles, says, form }) => {
    const read = shown(help(helpFor(roles, roles)).blocks);

    expect(read).toContain(says);
    expect(read.includes('by itself opens a form')).toBe(form);
  });
});

it('help names every command, even if there are many more', () => {
  const own = Array.from({ length: 50 }, (_, index) => {
    return {
      usage: `verb${index}`,
      example: `verb${index}`,
      effect: 'does a thing that takes many words to say '.repeat(3),
    };
  });
  const read = shown(help({ own, others: [], cards: 'all' }).blocks);

  for (const { usage } of own) expect(read).toContain(`${usage}\``);
  expect(checkBlocks(help({ own, others: [], cards: 'all' }).blocks, 'message')).toEqual([]);
});

it('a refusal says why, who can, and that nothing changed', () => {
  const { text, blocks } = refusal(answer.refusal);

  expect(text).toBe(
    'Not done: Unblocking card 1212. You are not an approver. Ask another approver. <@U7> or <@U8>. Nothing changed.',
  );
  expect(shown(blocks)).toContain('Nothing changed.');
});

describe('choosing a card', () => {
  it('has a section and a button for each match', () => {
    const { text, blocks } = chooseCard(answer.choose);

    expect(text).toBe('2 cards match “doe”. Which one do you want to block?');
    expect(buttons(blocks)).toMatchObject([
      { action_id: 'choose_card', value: 'choice_1' },
      { action_id: 'choose_card', value: 'choice_2' },
    ]);
    expect(shown(blocks)).toContain('*Jane Doe*\nCard 1212 · not activated · account 7378');
  });

  it('shows the total if it does not show every match', () => {
    const { text, blocks } = chooseCard({ ...answer.choose, matches: 5 });

    expect(text).toContain('5 cards match “doe”.');
    expect(buttons(blocks)).toHaveLength(2);
    expect(shown(blocks)).toContain('3 more match.');
    expect(shown(chooseCard({ ...answer.choose, matches: 3 }).blocks)).toContain('1 more matches.');
  });

  it('says how many accounts may have more of them', () => {
    expect(shown(chooseCard(answer.choose).blocks)).not.toContain('not read yet');
    expect(shown(chooseCard({ ...answer.choose, unread: 1 }).blocks)).toContain(
      'Nothing has changed yet. The cards of 1 account are not read yet.',
    );
  });
});

it('the confirmation of an activation names the cards that will be closed', () => {
  const { text, blocks } = confirmActivation(answer.confirm);

  expect(text).toContain(
    'closes 2 other open cards of the account for good. Closing: Card 3434 (active), Card 5656 (blocked).',
  );
  expect(shown(blocks)).toContain('• Card 3434 (active)\n• Card 5656 (blocked)');
  expect(buttons(blocks)).toMatchObject([
    { action_id: 'activate_card', value: 'pending_1', style: 'danger', confirm: { style: 'danger' } },
  ]);
});

it('a card shows its limits as words and bars', () => {
  const { blocks } = cardShow(answer.show, { place: 'direct' });

  expect(shown(blocks)).toMatchInlineSnapshot(`
    "Card 1212: Jane Doe
    *Status*
    Active
    *Cardholder*
    Jane Doe
    *Balance*
    $156.00
    *Kind*
    Physical
    *Group*
    Field team
    *Custom id*
    EMP_0042
    *Account*
    7378
    *Card id*
    6231
    *Limits*
    Daily: $35.10 of $400.00 left  ▰▱▱▱▱▱▱▱▱▱
    Monthly, Fuel: $200.00 of $200.00 left  ▰▰▰▰▰▰▰▰▰▰
    Yearly: $0.00 of $1,000.00 left  ▱▱▱▱▱▱▱▱▱▱
    Lifetime: $5,000.00
    *Recent declines*
    • $84.10 at Blue Bottle Coffee: over the daily limit<!date^1795184040^, {date_short_pretty} at {time}|, Nov 20, 2026, 9:14 AM ET>"
  `);
});

it('a card without limits and declines says so', () => {
  const text = shown(cardShow({ ...answer.show, status: null, limits: [], declines: [] }, { place: 'direct' }).blocks);

  expect(text).toContain('No limit is set.');
  expect(text).toContain('*Recent declines*\nNone.');
  expect(text).toContain('*Status*\nNot known');
});

describe('the result of an action', () => {
  it.each([
    ['done', 'Limit changed: Jane Doe · card 1212. Daily limit $400.00 → $450.00. It goes back to $400.00 at 6 PM.'],
    ['unchanged', 'Nothing changed: Jane Doe · card 1212. It goes back to $400.00 at 6 PM.'],
    [
      'waiting',
      'Waiting for approval: change the limit of Jane Doe · card 1212. It goes back to $400.00 at 6 PM. Nothing changed yet.',
    ],
    [
      'failed',
      'Could not change the limit of Jane Doe · card 1212. The card service says: “Account closed” It goes back to $400.00 at 6 PM. Nothing changed.',
    ],
    [
      'unknown',
      'Not sure: tried to change the limit of Jane Doe · card 1212. Daily limit $400.00 → $450.00. It goes back to $400.00 at 6 PM. Still not confirmed after 2 minutes. Check the card before you try again.',
    ],
  ] as const)('%s', (state, sentence) => {
    const { text, blocks } = actionResult({
      ...answer.result,
      state,
      apiWords: state === 'failed' ? 'Account closed' : null,
      ...(state === 'unknown' && { confirmation: 'unconfirmed' }),
    });

    expect(text).toBe(sentence);
    expect(shown(blocks)).toContain('by <@U1><!date^1795184040^, ');
    expect(shown(blocks).includes('Nothing changed')).toBe(['failed', 'waiting', 'unchanged'].includes(state));
    // What was asked again is not kept.
    expect(shown(blocks).includes('Reason: ')).toBe(state !== 'unchanged');
    expect(shown(blocks).includes('$400.00 → ')).toBe(state === 'done' || state === 'unknown');
  });
});

const dailyRule = { kind: 'limit', period: 'daily', category: null } as const;

/** Asked by the cardholder. */
const toPay = (amountCents: number) =>
  ask('ask', { ...answer.request.action, verb: 'ask', ask: { amountCents, term: answer.request.term } });

describe('a request for approval', () => {
  it('asks, and shows its progress', () => {
    const { text, blocks } = approvalRequest(answer.request);

    expect(text).toBe(
      'Approval needed: <@U1> asks to raise the daily limit of Jane Doe · card 1212: $400.00 → $2,000.00 (+$1,600.00), permanently. 1 of 2 approvals (<@U2>), <!date^1795187640^expires {date_short_pretty} at {time}|expires Nov 20, 2026, 10:14 AM ET>. Reason: “Trade fair &amp; booth”',
    );
    expect(shown(blocks)).toContain('$400.00 → $2,000.00 (+$1,600.00)');
    expect(shown(blocks)).toContain('Reason: Trade fair &amp; booth');
    expect(buttons(blocks)).toMatchObject([
      { action_id: 'decide_request_approve', style: 'primary', value: 'req_1' },
      { action_id: 'change_request', value: 'req_1' },
      { action_id: 'decide_request_deny', style: 'danger', value: 'req_1' },
      { action_id: 'deny_with_note', value: 'req_1' },
    ]);
  });

  it('of a holder shows the purchase, and whose approval it needs', () => {
    const one = { ...answer.request, action: toPay(30_000), needed: 1, approvals: [] };
    const { text, blocks } = approvalRequest(one);
    const two = shown(approvalRequest({ ...one, needed: 2 }).blocks);

    expect(shown(blocks)).toContain(
      'the cardholder, wants to pay $300.00: daily limit $400.00 → $2,000.00 (+$1,600.00)*\nReason:',
    );
    expect(text).toContain('$2,000.00 (+$1,600.00), permanently. Needs one approval, <!date^1795187640^expires ');
    expect(two.match(/Needs 2 approvals/g)).toHaveLength(1);
    // The headline names the card and the holder, so that a phone user need not scroll.
    expect(shown(blocks).match(/Jane Doe/g)).toHaveLength(1);
  });

  it('shows the purchase, the rest of the other limits, past purchases there, and earlier requests', () => {
    const facts = {
      purchase: { amountCents: 8410, merchant: 'Corner Diner', kind: 'Restaurants', link: 'https://x.slack.com/p1' },
      left: [
        { period: 'weekly' as const, limitCents: 60_000, remainingCents: 5_000 },
        { period: 'monthly' as const, limitCents: null, remainingCents: 90_000 },
      ],
      there: [{ at: '2026-11-18T14:14:00Z', amountCents: 1210 }],
      earlier: ['approved', 'denied', 'approved'] as const,
    };
    const { text, blocks } = approvalRequest({
      ...answer.request,
      action: toPay(8410),
      facts: { ...facts, earlier: [...facts.earlier] },
    });

    expect(text).toContain('wants to pay $84.10 at Corner Diner (Restaurants) with Jane Doe · card 1212: daily');
    expect(shown(blocks)).toContain('Weekly: $50.00 of $600.00 left (too little)\nMonthly: $900.00 left');
    expect(shown(blocks)).toMatch(/\*Earlier purchases there\*\n\$12\.10, /);
    expect(shown(blocks)).toContain('2 approved, 1 denied');
    expect(shown(blocks)).toContain('<https://x.slack.com/p1|Open the alert>');
  });

  it('gives the reason whenever it needs more than one approval', () => {
    const counted = {
      rule: dailyRule,
      ownCents: 160_000,
      earlier: [],
      aboveCents: 100_000,
      cap: null,
    };

    expect(shown(approvalRequest({ ...answer.request, counted }).blocks)).toContain(
      '*2 approvals: more than $1,000.00 in 24 hours.* This raises the daily limit by $1,600.00.',
    );
    expect(shown(approvalRequest(answer.request).blocks)).toContain('2 approvals:* whoever asked counts as one');
  });

  it('shows who asked for what, and who changed it how', () => {
    const goals = [{ rule: dailyRule, to: 300_000 }];

    expect(shown(approvalRequest({ ...answer.request, goals }).blocks)).toContain(
      '<@U1> asked for: daily limit $3,000.00, permanent. <@U2> changed it to: daily limit $2,000.00, permanent.',
    );
  });

  it.each([
    ['approved', 'Approved by <@U2> and <@U3>'],
    ['denied', 'Denied by <@U4>'],
    ['withdrawn', 'Withdrawn by <@U4>'],
    ['expired', '|Expired Nov 20, 2026, 10:14 AM ET>. Approved by <@U2> and <@U3> before that. Nothing changed.'],
  ] as const)('that is %s has no buttons', (state, words) => {
    const at = answer.request.action.askedAt;
    const approvals = [...answer.request.approvals, { by: 'U3', at, actionId: 'act_2' }];
    const decision = { actionId: 'act_2', by: state === 'approved' ? 'U3' : 'U4', at };
    const { blocks } = approvalRequest({
      ...answer.request,
      state,
      approvals,
      ...(state !== 'expired' && { decision, temporaryChangeId: null }),
    } as ApprovalRequest);

    expect(buttonIds(blocks)).toEqual([]);
    expect(shown(blocks)).toContain(words);
  });
});

it('an audit line mentions the person who requested the change', () => {
  const outcome = 'asked for daily limit $900.00, for 1 hour; changed to daily limit $600.00, for 1 hour';
  const { text, blocks } = auditLine({ ...answer.audit, outcome, outcomeOf: 'U3' });

  expect(text).toContain(`<@U3> ${outcome}.`);
  expect(shown(blocks)).toContain(`<@U3> ${outcome}`);
});

it('an audit line is one line', () => {
  const { text, blocks } = auditLine(answer.audit);

  expect(text).toBe('<@U1> blocked Jane Doe · card 1212: active → blocked, “lost”, done.');
  expect(blocks.map(({ type }) => type)).toEqual(['context']);
  expect(auditLine({ ...answer.audit, after: 'until 2026-11-21T12:28:57.124Z' }).text).toMatch(
    /<!date\^1795264137\^until [^|]+\|until Nov 21, 2026, 7:28 AM ET>/,
  );
  const both = 'until 2026-11-21T12:28:57.124Z, travel mute until 2026-12-11T05:00:00.000Z';
  expect(auditLine({ ...answer.audit, after: both }).text).toMatch(
    /\|until Nov 21, 2026, 7:28 AM ET>, travel mute <!date\^1796965200\^until [^|]+\|until Dec 11, 2026, 12:00 AM ET>/,
  );
  expect(auditLine({ ...answer.audit, by: null }).text).toMatch(/^Cardbell blocked/);
});

it('a line in the audit channel names its channel, and an unchanged part only once', () => {
  const daily = { before: 'daily limit $10.00', after: 'daily limit $40.00', reason: null, outcome: '' };

  expect(auditLine({ ...answer.audit, did: 'set the quiet hours of', channel: 'C1', card: null }).text).toMatch(
    /^<@U1> set the quiet hours of <#C1>: /,
  );
  expect(auditLine({ ...answer.audit, ...daily }).text).toMatch(/: daily limit \$10\.00 → \$40\.00\.$/);
});

it('a line in the audit channel says how long a change lasts, with times in the time zone of the reader', () => {
  const daily = { before: 'daily limit $10.00', after: 'daily limit $40.00', reason: null, outcome: '' };
  const textOf = (lasts: string) => auditLine({ ...answer.audit, ...daily, lasts }).text;

  expect(textOf('permanently')).toMatch(/: daily limit \$10\.00 → \$40\.00, permanently\.$/);
  expect(textOf('for 4 hours, until 2026-11-21T12:28:57.124Z')).toMatch(
    /→ \$40\.00, for 4 hours, <!date\^1795264137\^until [^|]+\|until Nov 21, 2026, 7:28 AM ET>\.$/,
  );
  const none = { before: null, after: null, reason: null, outcome: 'as requested' };
  expect(auditLine({ ...answer.audit, ...none, lasts: 'for 4 hours' }).text).toMatch(/: for 4 hours, as requested\.$/);
});

it('a line in the audit channel ends with one full stop, even if it only says who did what', () => {
  const none = { before: null, after: null, reason: null, outcome: '' };

  expect(auditLine({ ...answer.audit, ...none }).text).toMatch(/card 1212\.$/);
  expect(auditLine({ ...answer.audit, ...none, outcome: 'It has ended.' }).text).toMatch(/card 1212: It has ended\.$/);
});

it('a refusal shows commands as code, and outside text in them as text', () => {
  const { blocks } = refusal({ what: 'That', why: 'No card matches “`x`”.', whoCan: 'Use `/card show` instead.' });

  expect(shown(blocks)).toContain('Use `/card show` instead.');
  expect(shown(blocks)).toContain('“ˋxˋ”');
});

it('an ops notice says what happened, what it means and what to do', () => {
  const { text, blocks } = opsNotice(answer.notice);

  expect(text).toBe(
    'Needs attention: 3 webhooks do not fit. Three declines are not shown. Run `npm run replay` after the fix.',
  );
  expect(shown(blocks)).toMatch(/\*What happened:\* .*\n\*What it means:\* .*\n\*What to do:\* /);
  expect(opsNotice({ ...answer.notice, todo: null }).text).toMatch(/Nothing to do\.$/);
});

it.each([
  ['C0ALERTS', 'Channel: <#C0ALERTS>'],
  ['U0HUGO', 'Person: <@U0HUGO>'],
  ['D0HUGO', 'A direct message'],
])('an ops notice about %s says what it is about', (about, words) => {
  const { text, blocks } = opsNotice({ ...answer.notice, about });

  expect(text).toContain(`do not fit. ${words}. Three`);
  expect(shown(blocks)).toContain(`*${words}*\n*What happened:*`);
});

it('a request for several limits shows the old and new value of each', () => {
  const changes = [
    limitChange('daily', 40_000, 200_000),
    limitChange('weekly', null, 210_000, { id: 9, name: 'Books; <Maps>' }),
  ];
  const { text, blocks } = approvalRequest({ ...answer.request, changes, goals: goalsOf(changes) });

  expect(text).toContain(
    'asks to raise 2 limits of Jane Doe · card 1212: daily limit $400.00 → $2,000.00; no weekly limit for Books, &lt;Maps&gt; → $2,100.00, permanently.',
  );
  expect(shown(blocks)).toContain(
    'asks to raise 2 limits: daily limit $400.00 → $2,000.00; no weekly limit for Books, &lt;Maps&gt; → $2,100.00*',
  );
  expect(checkBlocks(blocks, 'message')).toEqual([]);
});

describe('the form behind “Raise limit…”', () => {
  it('is prefilled with the suggestion, and offers no other limit if the blocking one is known', () => {
    const form = remedyForm(answer.form);
    const inputs = form.blocks.filter((block) => block.type === 'input');

    expect(form).toMatchObject({ type: 'modal', callback_id: 'raise_limit', private_metadata: 'alert_1' });
    expect(inputs).toMatchObject([
      { element: { action_id: 'amount', initial_value: '449.00' } },
      { block_id: 'term', element: { action_id: 'term', initial_option: { value: '{"kind":"purchase"}' } } },
      { block_id: 'day', optional: true },
      { block_id: 'reason', element: { action_id: 'reason', multiline: true } },
    ]);
    expect(texts(form.blocks)[0]?.text).toBe(
      '*Jane Doe · card 1212*\nDeclined: $84.10 at Blue Bottle Coffee\nCurrent weekly limit: $400.00, $35.10 left',
    );
    expect(checkBlocks(form.blocks, 'modal')).toEqual([]);
  });

  const weekly = limitRaise('weekly', 60_000, 67_410, { remainingCents: 1000 });
  const ofMonth = limitRaise('monthly', 61_000, 67_410, { isAdjustedToo: true });

  it('asks for each of several limits, and says which stop the purchase and which rise along', () => {
    const remedy = remedyOf(dailyRaise, weekly, ofMonth);
    const form = remedyForm({ ...answer.form, remedy });
    const inputs = form.blocks.filter((block) => block.type === 'input');

    expect(form.title.text).toBe('Raise 3 limits');
    expect(texts(form.blocks)[0]?.text).toContain(
      'This purchase is stopped by two limits: the daily limit of $400.00 ($35.10 left) and the weekly limit of $600.00 ($10.00 left).\nRaised too, because one of them would exceed it: the monthly limit of $610.00.',
    );
    expect(inputs.slice(0, 3)).toMatchObject([
      { label: { text: 'New daily limit in dollars' }, optional: true, element: { initial_value: '449.00' } },
      { label: { text: 'New weekly limit in dollars' }, optional: true, element: { initial_value: '674.10' } },
      { label: { text: 'New monthly limit in dollars' }, optional: true, element: { initial_value: '674.10' } },
    ]);
    expect(JSON.stringify(form)).toContain('These are the lowest limits that let this purchase through.');
    expect(checkBlocks(form.blocks, 'modal')).toEqual([]);
  });

  it('does not call an amount the lowest one if nothing is left: the card may have spent more than its limit', () => {
    const usedUp = limitRaise('daily', 15_000, 17_000, { remainingCents: 0 });
    const one = JSON.stringify(remedyForm({ ...answer.form, remedy: remedyOf(usedUp) }));
    const several = JSON.stringify(remedyForm({ ...answer.form, remedy: remedyOf(usedUp, weekly) }));

    expect(one).toContain(
      'Nothing is left, and the card may have spent more than its limit, so $170.00 may not be enough.',
    );
    expect(several).toContain(
      'Nothing is left of a limit, and the card may have spent more than its limit, so these amounts may not be enough.',
    );
    for (const form of [one, several]) expect(form).not.toContain('lowest limit');
  });

  it('names a limit per purchase and the card’s own limit in addition to that of a category', () => {
    const category = { id: 5, name: 'Fuel' };
    const atOnce = limitRaise('transaction', 5000, 44_900, { remainingCents: 5000, category });
    const remedy = remedyOf(atOnce, weekly);

    expect(texts(remedyForm({ ...answer.form, remedy }).blocks)[0]?.text).toContain(
      'stopped by two limits: the limit for a single purchase at Fuel of $50.00 and the weekly limit of $600.00 ($10.00 left).',
    );
    expect(texts(remedyForm({ ...answer.form, remedy: remedyOf(atOnce) }).blocks)[0]?.text).toContain(
      'Limit for merchant category: *Fuel*\nCurrent limit for a single purchase: $50.00',
    );
  });

  it('asks again with the typed amounts if other limits have to rise along', () => {
    const typed = [
      { ...weekly, to: 90_000 },
      { ...ofMonth, to: 90_000 },
    ];
    const form = remedyForm({ ...answer.form, remedy: remedyOf(weekly), state: 'along', typed });

    expect(texts(form.blocks)[0]?.text).toMatch(
      /You raise the weekly limit.*Check all amounts, then submit again\.\nRaised too, because that limit would exceed it: the monthly limit of \$610\.00\.$/,
    );
    expect(JSON.stringify(form).match(/"initial_value":"900\.00"/g)).toHaveLength(2);
  });

  it('names the category without letting it be changed, and prefills nothing unknown', () => {
    const unknown = limitRaise('weekly', null, null, { category: { id: 5, name: 'Fuel' } });
    const form = remedyForm({ ...answer.form, remedy: remedyOf(unknown) });

    expect(texts(form.blocks)[0]?.text).toContain('Limit for merchant category: *Fuel*');
    expect(form.blocks).toContainEqual(
      expect.objectContaining({
        element: expect.objectContaining({ initial_option: expect.objectContaining({ value: 'weekly' }) }),
      }),
    );
    expect(texts(form.blocks)[0]?.text).toContain('The current limit is not known.');
    expect(JSON.stringify(form)).not.toContain('initial_value');
  });
});
