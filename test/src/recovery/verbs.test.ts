import { expect, it } from 'vitest';
import { recoveryVerbs } from '../../../src/recovery/verbs.ts';

const { read } = recoveryVerbs.recover.command;

it('/card recover looks a day back when it does not say how far', () => {
  expect(read([])).toMatchObject({ kind: 'read', target: { kind: 'since', since: { agoMs: 86_400_000 } } });
});

it('/card recover takes a duration', () => {
  expect(read(['2h'])).toMatchObject({ kind: 'read', target: { kind: 'since', since: { agoMs: 7_200_000 } } });
});

it('/card recover asks again when it cannot read the time', () => {
  expect(read(['yesteryear'])).toMatchObject({ kind: 'unclear', why: expect.stringContaining('Since when?') });
});
