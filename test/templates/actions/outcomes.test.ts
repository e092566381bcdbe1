import { describe, expect, it } from 'vitest';
import { toOutcome } from '../../../src/actions/report.ts';
import { approvalOf, asRequested, changeOf } from '../../../src/approvals/execute-approval.ts';
import type { LimitPeriod } from '../../../src/card-api/rule.ts';
import { ruleStates, stateWords } from '../../../src/limits/rule-words.ts';
import { dateAfter } from '../../../src/slack/mrkdwn.ts';
import { actionResult } from '../../../templates/actions/action-result.ts';
import {
  closedLines,
  mainOutcome,
  outcomeLine,
  outcomeLines,
  outcomeSentence,
  outcomeShort,
  resolutionOf,
} from '../../../templates/actions/outcomes.ts';
import { limitChange, limitGoal } from '../../support/limit-goals.ts';
import { askedAt, openRequestOf } from '../../support/limit-requests.ts';
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

describe('a change of several limits', () => {
  const ofMeals = (period: LimitPeriod, from: number, to: number) =>
    limitChange(period, from, to, { id: 7, name: 'Eating Places, Restaurants' });
  const changes = [
    ofMeals('daily', 15_000, 23_050),
    ofMeals('weekly', 60_000, 68_050),
    ofMeals('monthly', 85_000, 93_050),
  ];
  const until = '2026-11-20T18:14:00.000Z';
  const control = {
    kind: 'revert',
    id: 'act_1',
    until,
    back: { to: stateWords(changes, 'from'), when: 'automatically' },
  } as const;
  const back = `Goes back to ${stateWords(changes, 'from')} ${dateAfter('automatically', until)}.`;
  const sides = { before: ruleStates(changes, 'from'), after: ruleStates(changes, 'to') };
  const result = { state: 'done', card, ...sides, apiWords: null, note: null, control } as const;
  const reason = 'They cater for the fair. '.repeat(30);
  const changed = toOutcome(ask('limit', { reason }), 'limit', result, '2026-11-20T14:18:00Z');

  it('shows all of it, what they go back to, and when, before a reason that is cut', () => {
    const line = outcomeLine(changed);

    expect(line).toContain(`${back} Reason: They cater for the fair.`);
    expect(line).toMatch(/…$/);
    expect(actionResult({ ...result, verb: 'limit', by: 'U1', at: askedAt, reason, ref: null }).text).toContain(back);
  });

  it('no longer says what they go back to once they are over', () => {
    const over = outcome({ verb: 'restore', by: 'U1', at: '2026-11-20T14:40:00Z', ends: control.id });
    const textOf = (...outcomes: Parameters<typeof outcomeLines>[0][number][]) =>
      JSON.stringify([outcomeLines(outcomes), closedLines([paid, ...outcomes], '2026-11-20T14:14:00Z')]);
    const paid = outcome({ verb: 'paid', by: null, at: '2026-11-20T14:10:00Z' });

    expect(textOf(changed).split(back)).toHaveLength(3);
    expect(textOf(changed, over)).toContain('Limit changed');
    expect(textOf(changed, over)).not.toContain('Goes back to');
    expect(textOf(changed, { ...over, ends: 'act_other' }).split(back)).toHaveLength(3);
  });

  it('leaves out the oldest lines if the newest have no room left', () => {
    const outcomes = Array.from({ length: 6 }, (_, index) => ({ ...changed, by: `U${index}` }));
    const paid = outcome({ verb: 'paid', by: null, at: '2026-11-20T14:20:00Z' });

    for (const [block] of [outcomeLines(outcomes), closedLines([paid, ...outcomes], '2026-11-20T14:14:00Z')]) {
      const text = block?.text?.text ?? '';
      expect(text.length).toBeLessThanOrEqual(3000);
      expect(text).toContain(outcomeLine(outcomes[5] ?? changed));
      expect(text).not.toContain('<@U0>');
    }
  });
});

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

it.each([
  ['unconfirmed', 'Blocked (not confirmed)'],
  ['confirmed', 'Blocked'],
  ['sent', 'Blocked'],
] as const)('the short form of a block that is %s reads “%s”', (confirmation, words) => {
  const blocked = outcome({ by: 'U1', confirmation });

  expect(outcomeShort(blocked)).toEqual({ words, by: 'U1' });
  expect(outcomeSentence([blocked])).toBe(` ${words} by <@U1>.`);
});

it.each([
  ['', 'Paid'],
  ['$10.00 of $84.10', 'Paid $10.00 of $84.10'],
])('the short form of a payment of “%s” reads “%s”', (text, words) => {
  const paid = outcome({ verb: 'paid', by: null, text });

  expect(outcomeShort(paid).words).toBe(words);
  expect(outcomeSentence([paid])).toBe(` ${words}.`);
});

describe('a purchase that is paid after the end of a temporary change', () => {
  const declinedAt = '2026-11-20T14:14:00Z';
  const raised = outcome({ verb: 'limit', by: 'U0ANA', at: '2026-11-20T15:00:00Z' });
  const back = outcome({ verb: 'restore', by: null, at: '2026-11-20T17:00:00Z', goals: [limitGoal('daily', 15_000)] });
  const paid = outcome({ verb: 'paid', by: null, at: '2026-11-21T05:30:00Z' });
  const wordsOf = (...outcomes: Parameters<typeof outcomeLines>[0][number][]) =>
    resolutionOf(outcomes, declinedAt)?.words.replace(/<!date[^>]*>/g, 'TIME');

  const control = { kind: 'revert', id: 'act_1', until: declinedAt, back: { to: '', when: 'automatically' } } as const;
  const temporary = { ...raised, control };

  it('was not approved by it', () => {
    const resolution = resolutionOf([raised, back, paid], declinedAt);

    expect(wordsOf(raised, back, paid)).toBe('Paid at TIME. 15 hours after the decline.');
    expect(resolution).toMatchObject({ approved: undefined, covered: [paid] });
  });

  it('was approved by what is still in effect', () => {
    const unblocked = outcome({ verb: 'unblock', by: 'U0BO', at: '2026-11-20T15:30:00Z' });
    const again = { ...raised, by: 'U0CY', at: '2026-11-20T16:00:00Z', control: { ...control, id: 'act_2' } };

    expect(wordsOf(unblocked, raised, back, paid)).toMatch(/^Unblocked by <@U0BO>, paid at TIME\. /);
    expect(wordsOf(raised, again, { ...back, ends: 'act_1' }, paid)).toMatch(/^Approved by <@U0CY>, paid at TIME\. /);
    expect(wordsOf(raised, { ...back, ends: 'act_1' }, again, paid)).toMatch(/^Approved by <@U0CY>, paid at TIME\. /);
  });

  it('was approved by a permanent change, although a temporary one that was made before is over', () => {
    const permanent = { ...raised, by: 'U0CY', at: '2026-11-20T15:30:00Z', control: null };
    const end = { ...back, ends: 'act_1' };

    expect(wordsOf(temporary, permanent, end, paid)).toMatch(/^Approved by <@U0CY>, paid at TIME\. /);
    expect(wordsOf(temporary, permanent, { ...end, at: '2026-11-21T06:00:00Z' }, paid)).toMatch(
      /^Approved by <@U0CY>, paid at TIME\. /,
    );
  });

  it('was not approved by a change that a later one replaced, but may be by one that was left as it is', () => {
    const replaced = outcome({ verb: 'supersede', by: 'U0CY', at: '2026-11-20T15:30:00Z', ends: 'act_1' });

    expect(wordsOf(temporary, replaced, paid)).toMatch(/^Paid at TIME\. /);
    expect(wordsOf(temporary, { ...replaced, ends: undefined }, paid), 'in part').toMatch(/^Approved by <@U0ANA>/);
    expect(wordsOf(temporary, { ...replaced, ends: 'act_9' }, paid)).toMatch(/^Approved by <@U0ANA>/);
    expect(wordsOf(temporary, { ...replaced, verb: 'keep' }, paid)).toMatch(/^Approved by <@U0ANA>/);
  });

  it('was approved if the change ended with the payment or later', () => {
    for (const at of ['2026-11-21T05:29:50Z', '2026-11-21T05:30:05Z'])
      expect(wordsOf(raised, { ...back, at }, paid)).toMatch(
        /^Approved by <@U0ANA>, paid at TIME, limit back to \$150/,
      );
    expect(wordsOf(raised, { ...back, at: '2026-11-21T05:29:49Z' }, paid)).toMatch(/^Paid at/);
  });
});

it('an unblock or activation that the resolution names is not said again, unless there is more to say', () => {
  const activated = outcome({ verb: 'activate', by: 'U0OLGA', at: '2026-11-20T14:15:00Z' });
  const paid = outcome({ verb: 'paid', by: null, at: '2026-11-20T14:20:00Z' });
  const linesOf = (change: typeof activated) => JSON.stringify(closedLines([change, paid], '2026-11-20T14:14:00Z'));

  expect(linesOf(activated)).toMatch(/^[^*]*\*Resolved\.\* Activated by <@U0OLGA>, paid at [^*]*$/);
  expect(linesOf({ ...activated, reason: 'She has it' })).toContain('She has it');
  expect(linesOf({ ...activated, text: 'It closed card 3434.' })).toContain('It closed card 3434.');
  expect(linesOf({ ...activated, confirmation: 'unconfirmed' })).toContain('not confirmed');
  expect(linesOf({ ...activated, by: null })).toContain('*Activated* outside Slack');
  expect(linesOf({ ...activated, verb: 'limit' })).toContain('*Limit changed* by <@U0OLGA>');
});

describe('a payment of a purchase that the holder reported as fraud', () => {
  const paid = outcome({ verb: 'paid', by: null, at: '2026-11-20T14:21:00Z' });
  const reported = outcome({ verb: 'report-fraud', by: 'U0MAX', asHolder: true, at: '2026-11-20T15:00:00Z' });
  const blocked = outcome({ verb: 'block', by: null, at: '2026-11-20T15:00:05Z' });

  it.each([
    ['before', [paid, reported, blocked]],
    ['after', [reported, blocked, { ...paid, at: '2026-11-20T15:10:00Z' }]],
  ])('resolves nothing, and is a line like any other: paid %s the report', (_when, outcomes) => {
    expect(resolutionOf(outcomes, '2026-11-20T14:14:00Z')).toBeNull();
    const lines = JSON.stringify(closedLines(outcomes, '2026-11-20T14:14:00Z'));
    for (const line of ['*Paid* at', '*Reported as fraud* by the holder <@U0MAX>', '*Blocked*'])
      expect(lines).toContain(line);
    expect(mainOutcome(outcomes)).toBe(blocked);
    expect(outcomeSentence(outcomes)).not.toContain('Paid');
  });

  it('resolves it if the holder made it after all', () => {
    const recognized = outcome({ verb: 'recognize', by: 'U0MAX', asHolder: true, at: '2026-11-20T15:30:00Z' });

    expect(resolutionOf([paid, reported, recognized], '2026-11-20T14:14:00Z')?.title).toBe('Resolved');
    expect(mainOutcome([paid, reported, recognized])).toBe(paid);
  });
});
