import { expect, it } from 'vitest';
import { jobs, mayRunEarly } from '../../../src/app/jobs.ts';

it.each([
  ['a post delayed by a fast clock', 'flush-outbox', true],
  ['the verification of a change', 'verify-action', true],
  ['the search for copies of a message', 'delete-late-copies', true],
  ['the end of a temporary change, which checks two clocks', 'end-temporary-change', true],
  ['a digest', 'send-digest', false],
  ['the search for due digests', 'send-digests', true],
  ['the end of a mute', 'end-mute', true],
  ['a warning that waits for the end of quiet hours', 'warn-of-subscription', true],
  ['the end of *Undo*', 'end-undo', false],
  ['the end of a claim', 'end-claim', false],
  ['a job of another version', 'somebody-elses', false],
])('%s (%s) may run early: %s', (_what, name, may) => {
  expect(mayRunEarly(name)).toBe(may);
});

it('lets no event yield, because the counts of waiting events leave such jobs out', () => {
  const yielding = Object.values(jobs).filter((job) => job.yields !== undefined);

  expect(new Set(yielding.map(({ queue }) => queue))).toEqual(new Set(['actions']));
});
