import { expect, it } from 'vitest';
import type { Enqueue } from '../../../src/app/enqueue.ts';
import { toJob } from '../../../src/app/inbox-jobs.ts';
import { UnreadableError } from '../../../src/core/errors.ts';
import type { InboxEntry } from '../../../src/intake/intake.ts';
import { ask } from '../../support/perform-world.ts';

function setUp() {
  const added: [string, unknown][] = [];
  const enqueue: Enqueue = async (name, data) => void added.push([name, data]);
  return { added, enqueue };
}
const ofNewerVersion = { type: 'forecast', day: 'monday' } as unknown as InboxEntry;

it('hands on what a person asked for as the job that does it', async () => {
  const { added, enqueue } = setUp();
  const action = ask('block');

  await toJob({ type: 'action', action, signature: 'signed' }, enqueue);

  expect(added).toEqual([['perform-action', { action, signature: 'signed' }]]);
});

it('sets an entry of a newer version aside, where it fails until such a version gets it', async () => {
  const { added, enqueue } = setUp();

  await toJob(ofNewerVersion, enqueue);

  expect(added).toEqual([['hand-on-entry', { entry: ofNewerVersion }]]);
  await expect(toJob(ofNewerVersion, enqueue, true)).rejects.toThrow(UnreadableError);
});
