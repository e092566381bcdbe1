import { expect, it } from 'vitest';
import { apiQuotaOf, CardApiAssumptions, parseAssumptions } from '../../../src/card-api/assumptions.ts';
import { ConfigError } from '../../../src/core/errors.ts';

it('has a default and a sentence for every assumption', () => {
  expect(parseAssumptions()).toEqual(CardApiAssumptions.parse({}));
  expect(parseAssumptions(' ')).toEqual(parseAssumptions('{}'));
  for (const [name, entry] of Object.entries(CardApiAssumptions.shape)) {
    expect(entry.description, name).toMatch(/\.$/);
  }
});

it('applies overrides and keeps the other defaults', () => {
  const assumptions = parseAssumptions('{"noLimit":0,"activateCardPaths":["/Card/Activate{acctId}/{cardId}"]}');

  expect(assumptions).toEqual({
    ...parseAssumptions(),
    noLimit: 0,
    activateCardPaths: ['/Card/Activate{acctId}/{cardId}'],
  });
});

it.each([
  ['{', 'CARD_API_ASSUMPTIONS: expected a JSON object'],
  ['[]', 'CARD_API_ASSUMPTIONS: expected a JSON object'],
  ['{"secret":1}', 'CARD_API_ASSUMPTIONS: expected only entries from'],
  ['{"noLimit":"secret"}', 'CARD_API_ASSUMPTIONS: expected an accepted form in noLimit'],
  ['{"setCardStatusPaths":["Card"]}', 'CARD_API_ASSUMPTIONS: expected an accepted form in setCardStatusPaths.0'],
  ['{"setCardStatusPaths":[]}', 'CARD_API_ASSUMPTIONS: expected an accepted form in setCardStatusPaths'],
  ['{"listCallsPerHour":0}', 'CARD_API_ASSUMPTIONS: expected an accepted form in listCallsPerHour'],
  ['{"listCallsPerHour":"secret"}', 'CARD_API_ASSUMPTIONS: expected number in listCallsPerHour'],
])('reports %s by name, not by value', (json, complaint) => {
  let error: unknown;
  try {
    parseAssumptions(json);
  } catch (thrown) {
    error = thrown;
  }

  expect(error).toBeInstanceOf(ConfigError);
  expect((error as ConfigError).problems.join('\n')).toContain(complaint);
  expect((error as ConfigError).message).not.toContain('secret');
  expect((error as ConfigError).problems.join('\n')).not.toContain('secret');
});

it('returns how often the directory may call the API', () => {
  expect(apiQuotaOf(parseAssumptions())).toEqual({ listEveryMs: 360_000, detailsPerMinute: 60, detailsBurst: 60 });
  expect(apiQuotaOf(parseAssumptions('{"listCallsPerHour":7,"callsPerMinute":30}'))).toEqual({
    listEveryMs: 514_286,
    detailsPerMinute: 30,
    detailsBurst: 30,
  });
});
