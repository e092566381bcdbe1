import { describe, expect, it } from 'vitest';
import type { Action } from '../../../src/actions/action.ts';
import { createFailUnreadable, toUnreadableAction } from '../../../src/actions/fail-action.ts';
import { doingOf } from '../../../src/dispatch/verbs.ts';
import { ask } from '../../support/perform-world.ts';

const action = ask('block');
const newer = {
  ...action,
  target: { kind: 'kind-of-a-newer-version', id: 'x1' },
  roles: ['auditor'],
  origin: { ...action.origin, tab: 1 },
};

async function fail(data: unknown, hasBegun: () => Promise<boolean> = async () => false) {
  const done: string[] = [];
  await createFailUnreadable({
    record: async ({ id }: Action, { event }) => void done.push(`${id} on record: ${event}`),
    responses: {
      answer: async ({ actor }, { text }) => void done.push(`${actor.userId}: ${text}`),
    },
    hasBegun,
    doingOf,
  })(data);
  return done;
}

describe('an action from a newer version', () => {
  it('is audited as failed, and the requester learns that nothing changed', async () => {
    expect(await fail(newer)).toEqual([
      `${action.id} on record: failed`,
      expect.stringMatching(/^U0OLGA: Not done: Your request to block cards\. .* Nothing changed\.$/),
    ]);
  });

  it.each([
    ['has begun', async () => true],
    ['may have begun', async () => Promise.reject(new Error('its progress cannot be read either'))],
  ])('is reported as uncertain if it %s', async (_what, hasBegun) => {
    expect((await fail(newer, hasBegun)).at(-1)).toContain('not certain whether anything changed');
  });

  it('is left to ops if even the requester cannot be read', async () => {
    expect(await fail({ ...newer, actor: 'somebody' })).toEqual([]);
    expect(toUnreadableAction('nothing')).toBeNull();
  });
});
