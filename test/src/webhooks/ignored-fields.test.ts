import { expect, it } from 'vitest';
import { createLog } from '../../../src/core/log.ts';
import { createIgnoredLog } from '../../../src/webhooks/ignored-fields.ts';

it('a field that is ignored in every webhook is logged once', () => {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  const onIgnored = createIgnoredLog(createLog({ level: 'info', process: 'test', destination, repeatMs: 0 }));

  onIgnored(['MerchantCity: expected string, received number']);
  onIgnored(['MerchantCity: expected string, received number']);
  onIgnored(['MerchantCity: expected string, received number', 'Message: expected string, received number']);

  expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
    { level: 'warn', what: 'MerchantCity: expected string, received number' },
    { level: 'warn', what: 'Message: expected string, received number' },
  ]);
});
