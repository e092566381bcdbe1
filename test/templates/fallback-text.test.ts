import { expect, it } from 'vitest';
import { sampleMessages } from '../../bin/doctor/sample-messages.ts';
import { helpFor } from '../../src/dispatch/verbs.ts';
import type { Message } from '../../src/slack/message.ts';
import { actionResult } from '../../templates/actions/action-result.ts';
import { confirmActivation } from '../../templates/actions/confirm-activation.ts';
import { renderAlert } from '../../templates/alerts/alert.ts';
import { approvalRequest } from '../../templates/approvals/approval-request.ts';
import { permissionAsked } from '../../templates/approvals/permission-asked.ts';
import { overrideNotice, requestReminder } from '../../templates/approvals/request-notes.ts';
import { auditLine } from '../../templates/audit/audit-line.ts';
import { cardShow } from '../../templates/directory/card-show.ts';
import { chooseCard } from '../../templates/directory/choose-card.ts';
import { help } from '../../templates/dispatch/help.ts';
import { claimRequest } from '../../templates/holders/claim-request.ts';
import { requestDecided } from '../../templates/holders/holder-request.ts';
import { linkLost } from '../../templates/holders/link-result.ts';
import { subscriptionList } from '../../templates/routing/subscriptions.ts';
import { EXAMPLE_PICTURES } from '../pictures/example-pictures.ts';
import { askedAt, openRequestOf } from '../support/limit-requests.ts';
import { ask } from '../support/perform-world.ts';
import { answer } from './answer-fixtures.ts';
import { card, declined, raise, transactionAlert } from './fixtures.ts';

const decision = { actionId: 'act_1', by: 'U2', at: '2026-11-20T14:20:00Z' };
const request = openRequestOf();
const closed = [
  { ...request, state: 'approved', decision, temporaryChangeId: null },
  { ...request, state: 'overridden', decision, temporaryChangeId: null },
  { ...request, state: 'denied', decision },
  { ...request, state: 'withdrawn', decision },
  { ...request, state: 'expired' },
] as const;
const waiting = answer.request;
/** Every kind of message, from the examples of the documentation and of `doctor`. */
const messages: readonly (readonly [name: string, message: Message])[] = [
  ...sampleMessages().map(({ kind, message }) => [kind, message] as const),
  ...EXAMPLE_PICTURES.flatMap(({ pictures }) => pictures).flatMap(({ name, shows }) => {
    const shown = shows();
    return 'length' in shown ? shown.map((message) => [name, message] as const) : [];
  }),
  ...(['done', 'failed', 'unknown', 'unchanged', 'waiting'] as const).map(
    (state) => [`result ${state}`, actionResult({ ...answer.result, state })] as const,
  ),
  ...[waiting, ...closed.map((one) => ({ ...waiting, ...one }))].map(
    (one) => [`request ${one.state}`, approvalRequest(one)] as const,
  ),
  ...closed.map((one) => [`decided ${one.state}`, requestDecided(one)] as const),
  ['reminder', requestReminder([{ request, link: null }], ['U1'])],
  ['activation', confirmActivation(answer.confirm)],
  ['audit line', auditLine(answer.audit)],
  ['show', cardShow(answer.show, { place: 'direct' })],
  ['choose', chooseCard(answer.choose)],
  ['help', help(helpFor(['holder', 'operator', 'approver'], ['holder', 'operator', 'approver']))],
];
/** Mentions for notification follow the last sentence. */
const withoutMentions = (text: string): string => text.replace(/(?:[ ,]*<[@!][^<>]+>)+$/, '');

it.each(messages)('the fallback text of %s consists of complete sentences', (_name, { text }) => {
  const sentences = withoutMentions(text);

  expect(sentences).toMatch(/^(?:[A-Z]|<@|\d)/);
  expect(sentences).toMatch(/[.!?”]$/);
  expect(sentences.split(' ').length).toBeGreaterThan(4);
  expect(sentences, 'the text after a reason is a separate sentence').not.toMatch(/Reason: [^.”]*[a-z] [A-Z][a-z]+ /);
  expect(sentences).not.toMatch(/\*|undefined|null|\.\.|\s{2}| \.|\n/);
});

it('a card without a known status, subscriptions that do not exist and a decided claim read as sentences', () => {
  const claimed = { acctId: 7, isSameName: true, isSameEmail: true };
  const claim = { id: 'clm_1', action: ask('claim'), card: claimed, expiresAt: askedAt, state: 'expired' as const };
  const rules = { channel: 'C1', byDefault: [], subscriptions: [], digests: [], quiet: null };

  expect(cardShow({ ...answer.show, status: null }, { place: 'direct' }).text).toMatch(/\d: status not known, with /);
  expect(subscriptionList({ isAll: false, rules: [rules], mutes: 0, page: 1 }).text).toBe(
    'This channel: no subscriptions, no digests, no quiet hours, no mutes.',
  );
  expect(claimRequest({ claim, ...claimed, card: answer.show.card, value: 'clm_1', heldBy: null }).text).toMatch(
    /^Claim expired: <@/,
  );
});

it('the fallback text of a request and its reminder says for how long, why, and what an approver must know first', () => {
  const pressing = openRequestOf({ action: { ...request.action, reason: 'hotel in Denver' }, isBlocked: true });

  for (const { text } of [approvalRequest(pressing), requestReminder([{ request: pressing, link: null }], ['U1'])]) {
    expect(text).toMatch(/\(\+\$500\.00\), for 1 hour[.<]/);
    expect(text).toContain(
      'The card is blocked: nothing is paid until an approver unblocks it. Reason: “hotel in Denver”',
    );
  }
});

it('the fallback text of an emergency override tells those who were passed over what they can do', () => {
  const overridden = { ...request, state: 'overridden', decision, temporaryChangeId: null } as const;

  expect(overrideNotice(overridden, ['U3', 'U4']).text).toMatch(
    /Approved without you: <@U3> and <@U4>\. If you disagree, press Take back now on the request\.$/,
  );
});

it('the fallback text of a question to those who may names the purchase, with a link to its alert', () => {
  const question = {
    by: 'U1',
    doing: 'change a limit of',
    card,
    typed: null,
    input: {},
    purchase: transactionAlert().event,
    link: 'https://team.slack.com/archives/C1/p1',
    reason: 'team lunch',
    command: null,
    role: 'approver',
    whoMay: ['U2'],
  } as const;

  expect(permissionAsked(question).text).toContain(
    'card 1212. $84.10 at Blue Bottle Coffee · <https://team.slack.com/archives/C1/p1|Open the message>. Reason: “team lunch”',
  );
});

it('the fallback text for a former holder says who holds the card now', () => {
  expect(linkLost({ card, by: 'U1', heldBy: 'U2', isClaim: false }).text).toContain(
    'is no longer linked to you. Linked to <@U2> by <@U1>. You no longer get messages',
  );
});

it.each([
  ['a limit', transactionAlert({}, { remedy: raise }), 'over the daily limit: $49.00 more than the $35.10 left.'],
  ['what no button fixes', declined('decline.mcc', 'No'), 'No setting changes this.'],
])('the fallback text of a decline has the numbers and what fixes it: %s', (_what, alert, words) => {
  expect(renderAlert(alert, { place: 'private', channel: 'C1' }).text).toContain(words);
});
