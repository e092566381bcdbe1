import { describe, expect, it } from 'vitest';
import type { Alert } from '../../src/alerts/alert.ts';
import { declineCodes } from '../../src/alerts/decline-reason.ts';
import { type ChannelVisibility, mayShow, places } from '../../src/core/channel-visibility.ts';
import { spendKinds } from '../../src/routing/filter.ts';
import { renderAlert } from '../../templates/alerts/alert.ts';
import { change, declined, raise, shippingAlert, statusAlert, transactionAlert, virtualAlert } from './fixtures.ts';
import { buttonIds, shown } from './shown.ts';

/** One alert of every kind, and of every decline code. The balance is an amount that appears nowhere else, and too low. */
const money = { availableCents: 98_765_43, ledgerCents: 98_765_43, amountCents: 100_000_00 };
const alerts: readonly (readonly [string, Alert])[] = [
  ...declineCodes.map((code): [string, Alert] => [
    code,
    declined(code, 'Invalid PIN entered by the holder', { remedy: raise }),
  ]),
  ...['decline.of.tomorrow', ''].map((code): [string, Alert] => [code, declined(code, 'Some words')]),
  ...['decline.of.tomorrow', ''].map((code): [string, Alert] => [
    `${code} PIN`,
    declined(code, 'PIN Verification Check'),
  ]),
  ['decline.card.pin.locked', declined('decline.card.pin.locked', 'Tries exceeded')],
  ...spendKinds.map((kind): [string, Alert] => [
    kind,
    transactionAlert({ kind: kind as 'authorization', decline: null }),
  ]),
  ['card-status', statusAlert([change()])],
  ['card-shipping', shippingAlert()],
  ['virtual-card', virtualAlert({ balanceCents: 98_765_43 })],
].map(([name, alert]): [string, Alert] => [
  name as string,
  (alert as Alert).kind === 'transaction'
    ? ({ ...(alert as Alert), event: { ...(alert as Alert).event, ...money } } as Alert)
    : (alert as Alert),
]);
const cases = places.flatMap((place) =>
  alerts.map(([name, alert]): [ChannelVisibility, string, Alert] => [place, name, alert]),
);

/** Everything that anyone could read: the sentence, the blocks, labels and values. */
function read(alert: Alert, place: ChannelVisibility): string {
  const { text, blocks } = renderAlert(alert, { place });
  return `${text}\n${shown(blocks)}\n${JSON.stringify(blocks)}`;
}

describe('what a channel shows', () => {
  it.each(cases)('%s, %s: money on the card', (place, _name, alert) => {
    if (!mayShow('balance', place)) expect(read(alert, place)).not.toMatch(/98,?765/);
  });

  it.each(cases)('%s, %s: a wrong PIN', (place, name, alert) => {
    if (/^decline|PIN/.test(name) && !mayShow('sensitiveReason', place)) {
      expect(read(alert, place)).not.toMatch(/\bPIN\b|card\.pin/i);
    }
  });

  it.each(alerts)('shared, %s: that there is something, and nothing else', (_name, alert) => {
    const words = read(alert, 'shared');

    expect(words).toContain('shared with another company');
    expect(words).not.toMatch(/Jane|Doe|1212|4242|\$|Blue Bottle|Coffee|decline\.|EMP_0042|7378|6231|1Z|blocked/i);
    expect(buttonIds(renderAlert(alert, { place: 'shared' }).blocks)).toEqual([]);
  });

  it('shows both where they are allowed, which proves that these checks can fail', () => {
    const pin = alerts.find(([name]) => name === 'decline.card.pin')?.[1];
    const low = alerts.find(([name]) => name === 'decline.balance.card')?.[1];
    if (pin === undefined || low === undefined) throw new Error('the codes no longer exist');

    expect(read(pin, 'direct')).toMatch(/Wrong PIN/);
    expect(read(low, 'private')).toMatch(/98,765\.43/);
  });
});
