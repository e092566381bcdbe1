import { expect, it } from 'vitest';
import { momentOf, readSince } from '../../../src/core/since.ts';
import { recentMoment, recoveryVerbs } from '../../../src/recovery/verbs.ts';
import { clock } from '../../support/clock.ts';

const { read } = recoveryVerbs.recover.command;

it('/card recover goes back one day by default', () => {
  expect(read([], clock)).toMatchObject({ kind: 'read', target: { kind: 'since', since: { agoMs: 86_400_000 } } });
});

it('/card recover accepts a duration', () => {
  expect(read(['2h'], clock)).toMatchObject({ kind: 'read', target: { kind: 'since', since: { agoMs: 7_200_000 } } });
});

it('/card recover accepts a duration of more than a year, so that the answer can name the limit', () => {
  expect(read(['500d'], clock)).toMatchObject({ target: { since: { agoMs: 500 * 86_400_000 } } });
});

it('/card recover asks back when it cannot parse the time', () => {
  expect(read(['yesteryear'], clock)).toMatchObject({ kind: 'unclear', why: expect.stringContaining('Since when?') });
});

it.each(['2026-11-20T00:10:00.000Z', '2026-11-20T23:50:00.000Z'])(
  'shows how to write a moment with one that is in the past: %s',
  (askedAt) => {
    const since = readSince([recentMoment(new Date(askedAt))]) ?? { agoMs: 0 };
    const moments = ['Pacific/Pago_Pago', 'America/New_York', 'Pacific/Auckland'].map((zone) =>
      momentOf(since, askedAt, zone),
    );

    for (const moment of moments) expect((moment ?? askedAt) < askedAt, moment ?? '').toBe(true);
  },
);
