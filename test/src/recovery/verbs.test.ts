import { expect, it } from 'vitest';
import { recoveryVerbs } from '../../../src/recovery/verbs.ts';

const { read } = recoveryVerbs.recover.command;

it('/card recover goes back one day by default', () => {
  expect(read([])).toMatchObject({ kind: 'read', target: { kind: 'since', since: { agoMs: 86_400_000 } } });
});

it('/card recover accepts a duration', () => {
  expect(read(['2h'])).toMatchObject({ kind: 'read', target: { kind: 'since', since: { agoMs: 7_200_000 } } });
});

it('/card recover asks back when it cannot parse the time', () => {
  expect(read(['yesteryear'])).toMatchObject({ kind: 'unclear', why: expect.stringContaining('Since when?') });
});
