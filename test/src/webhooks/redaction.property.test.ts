import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PayloadError } from '../../../src/core/errors.ts';
import { carrierOfForm } from '../../../src/core/tracking-number.ts';
import { toStoredEvent } from '../../../src/webhooks/kind.ts';
import { quarantine } from '../../../src/webhooks/quarantine.ts';
import { webhook, webhookNames } from '../../fixtures/webhooks/webhook.ts';
import { cardNumber } from '../../support/card-number-arbitrary.ts';
import { examples } from '../../support/examples.ts';

const facts = { version: '2.0.1.3', receivedAt: '2026-03-02T17:31:08.000Z' };
const names = [...webhookNames, 'virtual-card-partial', 'card-token-created'];

/** Everything stored about a body, as an event or in quarantine, in the form it has in Redis. */
function keptOf(body: unknown, path: string): string {
  const quarantined = JSON.stringify(quarantine(body, { ...facts, path, issues: [] }));
  try {
    return JSON.stringify(toStoredEvent(body, path, { zone: 'America/New_York', ...facts })) + quarantined;
  } catch (error) {
    if (!(error instanceof PayloadError)) throw error;
    return JSON.stringify(error.issues) + quarantined;
  }
}

/** Any JSON, with the sensitive names among its keys. */
function anyJson(secret: fc.Arbitrary<string>): fc.Arbitrary<unknown> {
  const key = fc.oneof(
    fc.constantFrom(
      'Data',
      'CallbackTime',
      'TransactionType',
      'CardList',
      'Message',
      'FirstName',
      'Errors',
      '__proto__',
    ),
    fc.string(),
    secret,
  );
  const words = fc.string().map((text) => text.replace(/\d/g, ''));
  const leaf = fc.oneof(
    fc.constantFrom('NETWORK', 'CARD', 'CARDORDER', 'Auth', null, true),
    secret,
    fc.tuple(words, secret, words).map((parts) => parts.join('')),
    secret.map(Number),
    fc.integer(),
  );
  return fc.letrec((tie) => ({
    any: fc.oneof({ depthSize: 'small' }, leaf, fc.array(tie('any'), { maxLength: 4 }), tie('object')),
    object: fc.array(fc.tuple(key, tie('any')), { maxLength: 6 }).map((entries) => Object.fromEntries(entries)),
  })).object;
}

describe('for any payload', () => {
  it('no card number in any field of any kind is stored, in one piece or in groups', () => {
    const separator = fc.constantFrom('', ' ', '-', '  ', '.');
    fc.assert(
      fc.property(fc.constantFrom(...names), fc.nat(), cardNumber, separator, (name, at, digits, between) => {
        const body = webhook(name);
        const fields = Object.keys(body.Data);
        const field = fields[at % fields.length] ?? 'Message';
        const written = (digits.match(/\d{1,4}/g) ?? []).join(between);
        // One in ten numbers of fifteen digits is also a valid FedEx tracking number.
        fc.pre(field !== 'TrackingNumber' || carrierOfForm(written.replaceAll(/[\s-]/g, '')) === null);
        body.Data[field] = typeof body.Data[field] === 'object' ? [written] : written;
        body.Data[`Unknown${at}`] = { note: `see ${written}` };

        const kept = keptOf(body, name);

        expect(kept).not.toContain(digits);
        expect(kept).not.toContain(written);
      }),
      { numRuns: examples(400) },
    );
  });

  it('no CVV2 and no account number is stored, in any spelling and at any depth', () => {
    const code = fc.stringMatching(/^[1-9]\d{2}$/).map((digits) => `s${digits}t`);
    const account = fc.stringMatching(/^[a-z]{6}\d{10,14}$/);
    const spelling = (name: string) => fc.constantFrom(name, name.toLowerCase(), name.toUpperCase(), `${name}_`);
    fc.assert(
      fc.property(
        fc.constantFrom(...names),
        fc.tuple(spelling('CVV2'), code),
        fc.tuple(spelling('AccountNumber'), account),
        (name, [codeName, cvv], [accountName, number]) => {
          const body = webhook(name);
          const secrets = { [codeName]: cvv, [accountName]: number };
          Object.assign(body.Data, secrets, { Nested: [{ Card: secrets }] });

          const kept = keptOf({ ...body, ...secrets }, name);

          expect(kept).not.toContain(cvv);
          expect(kept).not.toContain(number);
        },
      ),
      { numRuns: examples(300) },
    );
  });

  it('no card number survives in any JSON object', () => {
    const holding = cardNumber.chain((digits) => fc.tuple(fc.constant(digits), anyJson(fc.constant(digits))));
    fc.assert(
      fc.property(holding, fc.constantFrom(...names), ([digits, body], path) => {
        expect(keptOf(body, path)).not.toContain(digits);
      }),
      { numRuns: examples(400) },
    );
  });
});
