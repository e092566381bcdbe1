import { describe, expect, it } from 'vitest';
import type { TransactionAlert } from '../../../src/alerts/alert.ts';
import { transactionKinds } from '../../../src/core/event.ts';
import { renderAlert } from '../../../templates/alerts/alert.ts';
import { renderHolderAlert } from '../../../templates/holders/holder-alert.ts';
import { batchRow } from '../../../templates/outbox/batch-row.ts';
import { transactionAlert } from '../fixtures.ts';
import { shown } from '../shown.ts';

/** One merchant of a chain in different places. The words of its name are not a place. */
const places = [
  [{ city: 'ALBANY', state: 'NY', country: 'US' }, 'ALBANY, NY'],
  [{ city: 'Reno', state: 'NV', country: '840' }, 'Reno, NV'],
  [{ city: 'Lyon', state: '', country: 'FR' }, 'Lyon, France'],
  [{ city: 'Toronto', state: 'ON', country: 'CA' }, 'Toronto, Canada'],
  [{ city: '', state: 'VT', country: 'US' }, 'VT'],
  [{ city: '', state: '', country: '' }, ''],
] as const;
const elsewhere = (own: string): readonly string[] =>
  ['ALBANY', 'Reno', 'Lyon', 'Toronto', 'Fort Worth', 'Austin'].filter((city) => !own.includes(city));

function purchaseIn(kind: string, where: object): TransactionAlert {
  const merchant = { ...where, name: 'Oak Hardware', id: 'M7' };
  return transactionAlert({ kind, merchant, ...(kind === 'decline' ? {} : { decline: null }) });
}

describe.each(transactionKinds)('the place of a %s is that of its purchase', (kind) => {
  it.each(places)('%j', (where, place) => {
    const alert = purchaseIn(kind, where);
    const messages = [true, false].flatMap((isLong) => [
      renderAlert(alert, { place: 'private', channel: 'C1', isLong }),
      renderHolderAlert(alert, { place: 'direct', isLong }),
    ]);
    const told = messages.filter((message) => message !== null);
    for (const message of told) {
      const read = `${message.text} ${shown(message.blocks)}`;
      if (place !== '') expect(shown(message.blocks)).toContain(place);
      for (const other of elsewhere(place)) expect(read).not.toContain(other);
    }
    expect(told.length).toBeGreaterThanOrEqual(2);
    expect(batchRow(alert, { place: 'private' }).place).toBe(place);
  });
});
