import { describe, expect, it } from 'vitest';
import { PayloadError } from '../../../src/core/errors.ts';
import { redactText } from '../../../src/core/redact-text.ts';
import { toStoredEvent } from '../../../src/webhooks/kind.ts';
import { quarantine } from '../../../src/webhooks/quarantine.ts';
import { digitsOf, panForms, plantableFields, plantedPan } from '../../support/planted.ts';
import { sampleWebhook } from '../../support/sample-webhook.ts';

const facts = { zone: 'America/New_York', version: '2.0.1.3', receivedAt: '2026-03-02T17:31:08.000Z' };

/** Everything that is stored about a webhook. */
function keptOf(body: string, path: string): string {
  const json = JSON.parse(body) as unknown;
  const aside = (issues: readonly string[]): string => JSON.stringify(quarantine(json, { ...facts, path, issues }));
  try {
    return JSON.stringify(toStoredEvent(json, path, facts)) + aside([]);
  } catch (error) {
    if (!(error instanceof PayloadError)) throw error;
    return JSON.stringify(error.issues) + aside(error.issues);
  }
}

describe.each(Object.entries(panForms))('a card number written with %s', (_how, written) => {
  it('is masked in text', () => {
    expect(digitsOf(redactText(`call about ${written} now`))).not.toContain(plantedPan);
  });

  it('is never stored, in any field of any kind', () => {
    const found = plantableFields.filter(([kind, field]) => {
      const webhooks = [written, `see ${written} there`, [written], { note: written }].map((value) =>
        sampleWebhook(kind, { [field]: value }),
      );
      return webhooks.some(({ body }) => digitsOf(keptOf(body, kind)).includes(plantedPan));
    });

    expect(found).toEqual([]);
  });
});

it('a security code or token is never stored, in any text of any kind', () => {
  // Long enough that no generated id or time contains it.
  const secret = '7391846250';
  const written = `CVV2: ${secret} token=hunter${secret}`;
  const texts = plantableFields.filter(([kind, field]) => storedText(kind, { [field]: 'harmless words' }));
  const found = texts.filter(([kind, field]) =>
    keptOf(sampleWebhook(kind, { [field]: written }).body, kind).includes(secret),
  );

  expect(texts.length).toBeGreaterThan(20);
  expect(found).toEqual([]);
});

function storedText(kind: string, fields: Record<string, unknown>): boolean {
  return keptOf(sampleWebhook(kind, fields).body, kind).includes('harmless words');
}
