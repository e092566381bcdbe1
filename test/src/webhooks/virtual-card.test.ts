import { describe, expect, it } from 'vitest';
import type { StoredEvent } from '../../../src/core/event.ts';
import { read } from './read.ts';

type VirtualCardEvent = Extract<StoredEvent, { kind: 'virtual-card' }>;
const order = (data: Record<string, unknown>) =>
  read('virtual-card', data, { path: 'virtual-card' }) as VirtualCardEvent;

describe('the outcome of a virtual card order', () => {
  it.each([
    ['created', [], 'Account creation was successful'],
    ['not_created', ['Card'], 'Failed: card creation'],
    ['not_created', ['card', 'Funding'], ''],
    ['partial', ['Funding'], 'Failed: Funding'],
    ['partial', ['Group'], ''],
    ['partial', ['Ruleset', 'Activation'], 'Account creation was successful'],
    ['resend', [], ''],
    ['not_created', [], 'Failed: Card creation'],
    ['partial', [], 'Failed: Set Ruleset'],
  ])('is %s for the errors %j and the message “%s”', (outcome, Errors, Message) => {
    expect(order({ Errors, Message }).outcome).toBe(outcome);
  });
});

it.each(['decline', 'virtual-card'])('keeps no security code of the message of a %s', (path) => {
  for (const [Message, kept] of [
    ['Declined: CVV2: 987 is wrong', 'Declined: CVV2: [removed] is wrong'],
    ['PIN Verification Check', 'PIN Verification Check'],
  ]) {
    const event = read(path, { Message }, { path });
    const words = event.kind === 'virtual-card' ? event.message : event.kind === 'decline' && event.decline?.message;
    expect(words).toBe(kept);
  }
});
