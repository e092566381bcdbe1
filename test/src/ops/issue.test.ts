import { expect, it } from 'vitest';
import { SlackError } from '../../../src/core/errors.ts';
import { FETCHED_PATH, QuarantinedWebhook } from '../../../src/core/event.ts';
import * as auditIssue from '../../../src/ops/audit-issue.ts';
import * as issue from '../../../src/ops/issue.ts';
import * as redisIssue from '../../../src/ops/redis-issue.ts';
import {
  channelUnusableIssue,
  opsUnreachable,
  personUnreachable,
  postsRefused,
} from '../../../src/ops/refused-messages.ts';

const gone = new SlackError('chat.postMessage', 'channel_unusable', 'channel_not_found');
const archived = new SlackError('chat.postMessage', 'channel_unusable', 'is_archived');
const noScope = new SlackError('chat.postMessage', 'app_refused', 'missing_scope');
const noAccess = new SlackError('chat.postMessage', 'app_refused', 'access_denied');

function quarantined(path: string, issues: string[], id = 'q_1') {
  const webhook = { id, path, issues, body: {}, version: null, receivedAt: '2026-11-20T15:00:00.000Z' };
  return issue.quarantined(QuarantinedWebhook.parse(webhook));
}

const causes = (issues: readonly { readonly cause: string }[]): number =>
  new Set(issues.map(({ cause }) => cause)).size;

it('the same problem again is one problem, of which ops hear once', () => {
  const failed = (why: string) => issue.jobFailed('perform-action', why, 'act_1');

  expect(causes([failed('timed out after 3017 ms'), failed('timed out after 42 ms')])).toBe(1);
  expect(
    causes([quarantined('decline', ['AcctId: missing']), quarantined('decline', ['AcctId: missing'], 'q_2')]),
  ).toBe(1);
  expect(causes([issue.policyInvalid(['line 1']), issue.policyInvalid(['line 2', 'line 3'])])).toBe(1);
  expect(causes([issue.cannotRender('evt_1'), issue.cannotRender('evt_2')])).toBe(1);
  expect(causes([issue.cardTokenEnds('2026-11-30'), issue.cardTokenEnds('2026-12-01')])).toBe(1);
  expect(causes([issue.balanceLow('$5.00', '$100.00'), issue.balanceLow('$4.00', '$100.00')])).toBe(1);
});

it('another problem is never hidden behind one of which ops have heard', () => {
  const problems = [
    issue.cardTokenDead,
    issue.cardTokenEnds('2026-11-30'),
    issue.slackTokenDead,
    opsUnreachable,
    issue.lagging,
    redisIssue.redisFilling,
    redisIssue.redisFull,
    issue.webhooksMissing('decline'),
    issue.webhooksMissing('authorization'),
    redisIssue.dataGone,
    redisIssue.backupRestored('2026-11-20T15:00:00.000Z'),
    redisIssue.backupRestored('2026-11-21T15:00:00.000Z'),
    issue.redisClockDiffers,
    issue.machineClockDiffers('one'),
    issue.machineClockDiffers('two'),
    auditIssue.auditSinkAway,
    auditIssue.auditArchiveAway,
    quarantined('decline', ['AcctId: missing']),
    quarantined('decline', ['MCCCode: missing']),
    quarantined('settlement', ['AcctId: missing']),
    issue.jobFailed('perform-action', 'no such key', 'act_1'),
    issue.jobFailed('deliver-alert', 'no such key', 'evt_1'),
    redisIssue.redisSettings([{ what: 'no disk', todo: 'appendonly' }]),
    redisIssue.redisSettings([{ what: 'evicts', todo: 'noeviction' }]),
    channelUnusableIssue('C1', gone),
    channelUnusableIssue('C2', gone),
    channelUnusableIssue('C1', archived),
    postsRefused('C1', noScope),
    postsRefused('C1', noAccess),
    postsRefused('C2', noAccess),
    issue.channelShared('C1'),
    issue.messageRefused('C1', gone),
    issue.noFiles(noScope),
    personUnreachable('U1', gone),
    personUnreachable('U2', gone),
    issue.notConfirmed('block', 'act_1'),
    issue.notConfirmed('block', 'act_2'),
    issue.notPutBack('act_1'),
    issue.notPutBack('act_2'),
    issue.recordsUnreadable(['request']),
    issue.recordsUnreadable(['claim']),
    auditIssue.auditRecordChanged(1),
    auditIssue.auditRecordChanged(2),
    auditIssue.auditRecordForged(1),
    issue.entryRejected('act_1', 'it is not signed'),
  ];

  expect(causes(problems)).toBe(problems.length);
});

it('an issue names what can be looked up or run again, and at most five problems of it', () => {
  const many = Array.from({ length: 9 }, (_none, index) => `Field${index}: missing`);

  expect(quarantined('decline', many)).toMatchObject({ ref: 'q_1', what: expect.stringContaining('Field4') });
  expect(quarantined('decline', many).what).not.toContain('Field5');
  expect(issue.policyInvalid(many).what).not.toContain('Field5');
  expect(issue.jobFailed('perform-action', 'no such key', 'act_1').ref).toBe('act_1');
});

it('whoever replaces a dead token is told to keep it as a key, because without AUDIT_KEY it signed what is stored', () => {
  expect(issue.cardTokenDead.todo).toMatch(/If AUDIT_KEY is not set, also set it to a new secret and the former token/);
});

it('ops read what a wrong clock changes: that of Redis the end of temporary changes, that of a machine only its own work', () => {
  expect(issue.redisClockDiffers.means).toMatch(/^Temporary changes do not end until the clocks agree/);
  expect(issue.machineClockDiffers('one').means).toMatch(/^Retries and recurring work of this worker/);
});

it('missing webhooks may lie in quarantine, so ops look there before they look at the network', () => {
  const { title, todo } = issue.webhooksMissing('decline');

  expect(title).toBe('Webhooks of declines are missing or cannot be read');
  expect(todo).toMatch(/replay -- list.*doctor -- --url/);
});

it('a row that was fetched is not called a webhook, which would send ops to the wrong place', () => {
  expect(quarantined('decline', []).title).toContain('webhook');
  expect(quarantined(FETCHED_PATH, []).title).not.toContain('webhook');
});
