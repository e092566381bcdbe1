import { expect, it } from 'vitest';
import { sampleMessages } from '../../bin/doctor/sample-messages.ts';
import { helpFor } from '../../src/dispatch/verbs.ts';
import type { Message } from '../../src/slack/message.ts';
import { actionResult } from '../../templates/actions/action-result.ts';
import { confirmActivation } from '../../templates/actions/confirm-activation.ts';
import { approvalRequest } from '../../templates/approvals/approval-request.ts';
import { requestReminder } from '../../templates/approvals/request-notes.ts';
import { auditLine } from '../../templates/audit/audit-line.ts';
import { cardShow } from '../../templates/directory/card-show.ts';
import { chooseCard } from '../../templates/directory/choose-card.ts';
import { help } from '../../templates/dispatch/help.ts';
import { claimRequest } from '../../templates/holders/claim-request.ts';
import { requestDecided } from '../../templates/holders/holder-request.ts';
import { subscriptionList } from '../../templates/routing/subscriptions.ts';
import { EXAMPLE_PICTURES } from '../pictures/example-pictures.ts';
import { askedAt, openRequestOf } from '../support/limit-requests.ts';
import { ask } from '../support/perform-world.ts';
import { answer } from './answer-fixtures.ts';

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
  const claim = { id: 'clm_1', action: ask('claim'), cards: [], expiresAt: askedAt, state: 'expired' as const };
  const rules = { channel: 'C1', byDefault: [], subscriptions: [], quiet: null };

  expect(cardShow({ ...answer.show, status: null }, { place: 'direct' }).text).toMatch(/\d: status not known, with /);
  expect(subscriptionList({ isAll: false, rules: [rules], mutes: 0, page: 1 }).text).toBe(
    'This channel: no subscriptions, no quiet hours, no mutes.',
  );
  expect(claimRequest({ claim, cards: [], isWhole: true }).text).toMatch(/^Claim expired: <@/);
});
