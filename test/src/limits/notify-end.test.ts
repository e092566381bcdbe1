import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../../src/actions/action-state.ts';
import type { Statement } from '../../../src/audit/audit-record.ts';
import { AccountDetails } from '../../../src/card-api/schema-account.ts';
import type { CardFacts } from '../../../src/core/card-facts.ts';
import type { LostRaise } from '../../../src/limits/lost-raise.ts';
import {
  createNotifyEnd,
  createRecordEnd,
  createReportEnd,
  createShowTemporaryChange,
  endQuestions,
  type OverChange,
} from '../../../src/limits/notify-end.ts';
import type { TemporaryChange } from '../../../src/limits/temporary-change-store.ts';
import type { OpsIssue } from '../../../src/ops/notify-ops.ts';
import type { Message } from '../../../src/slack/message.ts';
import { refusal } from '../../support/card-api-errors.ts';
import { accountOf, directoryOf } from '../../support/directories.ts';
import { limitChange } from '../../support/limit-goals.ts';
import { ask } from '../../support/perform-world.ts';
import { temporaryChangeOf } from '../../support/temporary-changes.ts';
import { card } from '../../templates/fixtures.ts';

const at = '2026-11-20T16:00:00.000Z';
const click = ask('revert', {
  target: { kind: 'temporary-change', temporaryChangeId: 'act_1' },
  actor: { userId: 'U0BEN', teamId: 'T1' },
});

const changeNow = (state: OverChange['state'], over: Partial<TemporaryChange> = {}): OverChange => ({
  ...temporaryChangeOf(over),
  state,
});

describe('the end of a temporary change', () => {
  function setUp(AccountStatus = 'OPEN', rulesetId: number | null = null) {
    const steps: string[] = [];
    const deps = {
      card: { getAccount: async () => AccountDetails.parse({ AccountId: 7378, AccountStatus, CardList: [] }) },
      temporaryChanges: {
        all: async () => [],
        get: async () => null,
        save: async ({ state }: TemporaryChange) => void steps.push(`kept as ${state}`),
      },
      audit: { append: async ({ detail }: Statement) => void steps.push(`on record: ${detail}`) },
      postAuditLine: async () => {},
      directory: directoryOf({ reload: async () => accountOf({ rulesetId }) }),
      nameRuleset: async (facts: CardFacts) => facts,
      now: () => new Date(at),
      factsOf: async () => card,
      outcomes: {
        show: async (_alertId: string, id: string, { verb, state, by, text }: Outcome) =>
          void steps.push(`alert: ${id} ${verb} ${state} by ${by ?? 'nobody'}: ${text}`),
      },
      notifyDirectly: async (userId: string, id: string) => void steps.push(`told ${userId}: ${id}`),
      updateRequest: async (id: string) => void steps.push(`request ${id}`),
      cardChanged: async () => {},
      updateTemporaryChange: async () => void steps.push('its messages'),
      postTemporaryChange: async () => void steps.push('posted for approvers'),
      postToApprovals: async (id: string) => void steps.push(`approvers told: ${id}`),
      notifyOps: async ({ cause }: OpsIssue) => void steps.push(`ops told: ${cause}`),
    };
    const showTemporaryChange = createShowTemporaryChange(deps);
    const reportEnd = createReportEnd({ ...deps, recordEnd: createRecordEnd(deps), showTemporaryChange });
    const notifyOfLoss = async ({ by }: LostRaise) => void steps.push(`told that ${by} ended it early`);
    const notifyEnd = createNotifyEnd({ ...deps, reportEnd, showTemporaryChange, notifyOfLoss });
    return { notifyEnd, steps };
  }

  it('is audited, shown on its alert, and then stored as ended, before its messages are updated', async () => {
    const { notifyEnd, steps } = setUp();

    await notifyEnd.notify(changeNow('ended', { alertId: 'evt_1', requestId: 'req_1' }), null);

    expect(steps).toEqual([
      'on record: The temporary change has ended.',
      'alert: end-act_1 restore done by nobody: Daily limit $450.00 → $400.00',
      'kept as ended',
      'request req_1',
      'its messages',
    ]);
  });

  it.each([
    ['when due', null],
    ['early', click],
  ])('is reported once, where it was announced, even if the job runs twice: %s', async (_when, ended) => {
    const { notifyEnd, steps } = setUp();
    const change = changeNow('ended', { alertId: 'evt_1' });

    await notifyEnd.notify(change, ended);
    await notifyEnd.notify(change, ended);

    const shown = steps.filter((step) => step.startsWith('alert'));
    expect(new Set(shown.map((step) => step.split(' ')[1])), 'one line of the alert, written again').toEqual(
      new Set(['end-act_1']),
    );
    expect(
      steps.filter((step) => step.startsWith('told')),
      'nobody gets a separate message',
    ).toEqual([]);
  });

  it('is not reported to the person who ended it', async () => {
    const { notifyEnd, steps } = setUp();
    const own = { ...click, actor: { userId: 'U0ANA', teamId: 'T1' } };

    await notifyEnd.notify(changeNow('ended'), own);

    expect(steps.filter((step) => step.startsWith('told'))).toEqual([]);
  });

  it.each([
    [{ requestId: 'req_1' }, 31, ['told U0ANA: temporary-change-act_1-ended']],
    [{ requestId: 'req_1' }, 28, []],
    [{ alertId: 'evt_1' }, 31, ['told U0ANA: temporary-change-act_1-ended']],
    [{ alertId: 'evt_1' }, 28, []],
  ])(
    'is also sent to the person if the message that announced it may be too old: %o, %i days',
    async (by, days, told) => {
      const { notifyEnd, steps } = setUp();
      const openedAt = new Date(Date.parse(at) - days * 24 * 3_600_000).toISOString();

      await notifyEnd.notify(changeNow('ended', { ...by, openedAt }), null);

      expect(steps.filter((step) => step.startsWith('told'))).toEqual(told);
    },
  );

  const meanwhile = [limitChange('daily', 45_000, 50_000)];
  const lowered = {
    changes: [limitChange('daily', 50_000, 10_000)],
    meanwhile: [limitChange('daily', 10_000, 10_000)],
  };

  it.each([
    [
      'asking',
      {},
      'restore waiting by U0BEN: The temporary change has ended, but the card has another value or ruleset now: an approver has to decide.',
    ],
    [
      'asking',
      { ...lowered, isFromBackup: true },
      'restore waiting by U0BEN: Its time is over, but a backup was restored since it began: an approver has to decide.',
    ],
    ['kept', { closedBy: 'U0BEN', meanwhile }, 'keep done by U0BEN: Daily limit $500.00.'],
    ['kept', {}, 'keep done by nobody: It no longer applies to this card.'],
    ['refused', {}, 'restore failed by U0BEN: Still daily limit $450.00.'],
    ['ended', { meanwhile }, 'restore done by U0BEN: Daily limit $500.00 → $400.00'],
  ] as const)('shows on the alert: %s %o', async (state, over, words) => {
    const { notifyEnd, steps } = setUp();

    await notifyEnd.notify(changeNow(state, { alertId: 'evt_1', ...over }), click);

    expect(steps).toContain(`alert: end-act_1 ${words}`);
  });

  it('shows on the alert that the account was closed', async () => {
    const { notifyEnd, steps } = setUp('CLOSED');

    await notifyEnd.giveUp(temporaryChangeOf({ alertId: 'evt_1' }), refusal('Account closed'));

    expect(steps).toContain('alert: end-act_1 keep done by nobody: The account is closed.');
  });

  it('shows on no alert and no request if it belongs to none', async () => {
    const { notifyEnd, steps } = setUp();

    await notifyEnd.notify(changeNow('ended', { alertId: null, requestId: null }), null);

    expect(steps.filter((step) => /^(alert|request)/.test(step))).toEqual([]);
  });

  it.each([
    [
      null,
      'The temporary change has ended. The card no longer follows the spending ruleset 2: this change gave it rules of its own. You can assign the ruleset again in the card program’s portal.',
    ],
    [2, 'The temporary change has ended.'],
  ])('records that it took the card off its ruleset, if it follows %s afterwards', async (rulesetId, words) => {
    const { notifyEnd, steps } = setUp('OPEN', rulesetId);

    await notifyEnd.conclude(changeNow('ended', { rulesetId: 2 }), null, '');

    expect(steps).toContain(`on record: ${words}`);
  });

  it.each([
    ['by a person before its time: before it is stored, so that a job that runs again does it, too', click, 1, true],
    ['by a person when its time is over', click, 0, false],
    ['automatically', null, 1, false],
  ])('tells those who rely on it if it is ended %s', async (_how, action, hoursLeft, isTold) => {
    const { notifyEnd, steps } = setUp();
    const endsAt = new Date(Date.parse(at) + hoursLeft * 3_600_000).toISOString();

    await notifyEnd.conclude(changeNow('ended', { endsAt, requestId: 'req_1' }), action, '');

    const told = steps.indexOf('told that U0BEN ended it early');
    expect(told !== -1).toBe(isTold);
    expect(told).toBeLessThan(steps.indexOf('kept as ended'));
  });

  it('is posted for the approvers if they have to decide', async () => {
    const { notifyEnd, steps } = setUp();

    await notifyEnd.notify(changeNow('asking'), null);

    expect(steps).toContain('posted for approvers');
  });

  it('is reported to approvers and ops if the card service refuses it', async () => {
    const { notifyEnd, steps } = setUp();

    await notifyEnd.giveUp(temporaryChangeOf(), refusal('No.'));

    expect(steps[0]).toMatch(/could not be put back\. The card service says: “No\.”\.$/);
    expect(steps).toContain('approvers told: temporary-change-act_1-refused');
    expect(steps).toContain('ops told: not-put-back:act_1');
  });

  it('needs nobody if the card service refuses it because the account is closed', async () => {
    const { notifyEnd, steps } = setUp('CLOSED');

    await notifyEnd.giveUp(temporaryChangeOf(), refusal('Account closed'));

    expect(steps).toContain('on record: It stays as it is now. The account is closed.');
    expect(steps).toContain('kept as kept');
    expect(steps.filter((step) => /^(approvers|ops) told/.test(step))).toEqual([]);
  });
});

describe('the audit entry', () => {
  async function recorded(
    over: Partial<TemporaryChange>,
    action: typeof click | null,
    before: TemporaryChange = temporaryChangeOf(),
  ) {
    const records: Statement[] = [];
    const lines: string[] = [];
    const deps = {
      audit: { append: async (entry: Statement) => void records.push(entry) },
      postAuditLine: async (id: string, { text }: Message) => void lines.push(`${id}: ${text}`),
      temporaryChanges: { get: async () => before },
      now: () => new Date(at),
    };
    await createRecordEnd(deps)(temporaryChangeOf(over), { action, card, detail: 'detail' });
    return { entry: records[0], line: lines[0], records, lines };
  }

  it('has no actor if the change ended on schedule', async () => {
    const { entry, line } = await recorded({ state: 'ended' }, null);

    expect(entry).toMatchObject({
      event: 'ended',
      actor: null,
      before: 'daily limit $450.00',
      after: 'daily limit $400.00',
    });
    expect(line).toMatch(/^audit-act_1-ended: Cardbell put back the daily limit of /);
  });

  it('names the person who ended it, and the kept value that someone else had set', async () => {
    const meanwhile = [limitChange('daily', 45_000, 60_000)];
    const { entry, line } = await recorded({ state: 'kept', meanwhile }, click);

    expect(entry).toMatchObject({ event: 'ended', actor: click.actor, before: 'daily limit $600.00', after: null });
    expect(line).toMatch(/^audit-act_1-kept: <@U0BEN> left the daily limit of /);
  });

  it('names a temporary raise that is kept for good as a raise from what it would have gone back to', async () => {
    const changes = [limitChange('daily', 40_000, 45_000), limitChange('weekly', 60_000, 70_000)];
    const meanwhile = [limitChange('daily', 45_000, 55_000), limitChange('weekly', 70_000, 70_000)];
    const { entry, line } = await recorded({ state: 'kept', changes, meanwhile }, click);

    expect(entry).toMatchObject({
      before: 'daily limit $550.00; weekly limit $600.00',
      after: 'daily limit $550.00; weekly limit $700.00',
    });
    expect(line).toContain('left the daily limit and weekly limit of');
    const lowered = [limitChange('daily', 45_000, 40_000)];
    expect((await recorded({ state: 'kept', changes: lowered, meanwhile: null }, click)).entry).toMatchObject({
      before: 'daily limit $400.00',
      after: null,
    });
  });

  it('says that nothing was raised or lowered if somebody had restored the limit already', async () => {
    const meanwhile = [limitChange('daily', 45_000, 40_000)];

    expect((await recorded({ state: 'ended', meanwhile }, null)).entry).toMatchObject({
      before: 'daily limit $400.00',
      after: 'daily limit $400.00',
    });
  });

  it('has the value that somebody set meanwhile as “before”, so that putting it back is on record as the raise it is', async () => {
    const meanwhile = [limitChange('daily', 45_000, 30_000)];
    const asking = temporaryChangeOf({ state: 'asking', meanwhile });

    expect((await recorded({ ...asking, state: 'ended' }, click, asking)).entry).toMatchObject({
      before: 'daily limit $300.00',
      after: 'daily limit $400.00',
    });
  });

  it('has no values of a rule that another change is on top of: it goes back later, and nothing was written', async () => {
    const meanwhile = [limitChange('daily', 45_000, 60_000)];
    const later = [{ rule: limitChange('daily', 45_000, 40_000).rule, to: 40_000 }];
    const { entry, line } = await recorded({ state: 'ended', meanwhile, later }, null);

    expect(entry).toMatchObject({ event: 'ended', before: null, after: null });
    expect(line).toMatch(/^audit-act_1-ended: Cardbell ended a temporary change of the daily limit of /);
    expect(line).not.toMatch(/put back|→|\$\d/);
  });

  it('names what a person lets go back later, which may be a raise, but does not say that it was put back', async () => {
    const later = [{ rule: limitChange('daily', 45_000, 40_000).rule, to: 40_000 }];
    const { entry, line } = await recorded({ state: 'ended', later }, click);

    expect(entry).toMatchObject({ before: 'daily limit $450.00', after: 'daily limit $400.00' });
    expect(line).toMatch(/^audit-act_1-ended: <@U0BEN> ended a temporary change of the daily limit of /);
    expect(line).not.toMatch(/put back|→|\$\d/);
  });

  it('has the values of the rules that went back only, if others go back with another change', async () => {
    const changes = [limitChange('daily', 40_000, 45_000), limitChange('weekly', 60_000, 70_000)];
    const meanwhile = [limitChange('daily', 45_000, 60_000), limitChange('weekly', 70_000, 65_000)];
    const later = [{ rule: limitChange('daily', 45_000, 40_000).rule, to: 40_000 }];
    const { entry, line } = await recorded({ state: 'ended', changes, meanwhile, later }, null);

    expect(entry).toMatchObject({ before: 'weekly limit $650.00', after: 'weekly limit $600.00' });
    expect(line).toMatch(/: Cardbell put back the weekly limit of /);
  });

  it('refers to the click if there was one, otherwise to the change itself', async () => {
    expect((await recorded({ state: 'ended' }, null)).entry).toMatchObject({
      actionId: 'act_1',
      verb: 'limit',
      roles: [],
      reason: '',
      channel: null,
      messageTs: null,
    });
    const fromChannel = {
      ...click,
      reason: 'too early',
      origin: { ...click.origin, channel: 'C0OPS', messageTs: '1.2' },
    };
    expect((await recorded({ state: 'ended' }, fromChannel)).entry).toMatchObject({
      actionId: click.id,
      verb: 'revert',
      roles: click.roles,
      reason: 'too early',
      channel: 'C0OPS',
      messageTs: '1.2',
    });
  });

  describe('of several limits of which one went back', () => {
    const two = [limitChange('daily', 40_000, 45_000), limitChange('monthly', 200_000, 210_000)];
    const meanwhile = [limitChange('daily', 45_000, 55_000), limitChange('monthly', 210_000, 200_000)];
    const asking = temporaryChangeOf({ state: 'asking', changes: two, meanwhile });
    const sides = (records: Statement[]) => records.map(({ event, before, after }) => [event, before, after]);

    it('says what went back, and of the question only what is left to decide', async () => {
      const { records, lines } = await recorded(asking, null);

      expect(sides(records)).toEqual([
        ['ended', 'monthly limit $2,100.00', 'monthly limit $2,000.00'],
        ['waiting', 'daily limit $550.00', null],
      ]);
      expect(lines).toEqual([
        expect.stringMatching(/^audit-act_1-part: Cardbell put back the monthly limit of /),
        expect.stringMatching(/^audit-act_1-asking: Cardbell left the daily limit of /),
      ]);
    });

    it.each([
      ['ended', 'daily limit $550.00', 'daily limit $400.00'],
      ['kept', 'daily limit $550.00', null],
    ] as const)('names only the others once it is decided: %s', async (state, before, after) => {
      const { records } = await recorded({ ...asking, state }, click, asking);

      expect(sides(records)).toEqual([['ended', before, after]]);
    });
  });

  it('has the event “waiting” if people have to decide', async () => {
    expect((await recorded({ state: 'asking' }, null)).entry?.event).toBe('waiting');
  });
});

describe('a question about rules that went back with another change', () => {
  const asking = temporaryChangeOf({ id: 'act_2', state: 'asking' });

  it.each<[string, OverChange['state'], Partial<TemporaryChange>, string[]]>([
    ['has nothing left to decide', 'ended', {}, ['act_2 ended by U0BEN, on record by itself']],
    ['stays if nothing went back', 'asking', {}, []],
    ['stays if it is about another card', 'ended', { acctId: 7379 }, []],
    ['stays if it goes back to another value', 'ended', { changes: [limitChange('daily', 30_000, 45_000)] }, []],
    [
      'stays if it is about another rule as well',
      'ended',
      { changes: [...asking.changes, limitChange('weekly', 40_000, 45_000)] },
      [],
    ],
    ['stays if it is still in force', 'ended', { state: 'open' }, []],
  ])('%s', async (_what, state, over, expected) => {
    const ended: string[] = [];
    const temporaryChanges = { all: async () => [temporaryChangeOf(), { ...asking, ...over }] };
    const change = changeNow(state, { closedBy: 'U0BEN', closingActionId: click.id });

    await endQuestions(change, click, { now: () => new Date(at), temporaryChanges }, async (one, action) => {
      ended.push(`${one.id} ${one.state} by ${one.closedBy}, on record by ${action?.id ?? 'itself'}`);
    });

    expect(ended).toEqual(expected);
  });
});
