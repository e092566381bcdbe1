import { expect, it } from 'vitest';
import type { Action } from '../../../src/actions/action.ts';
import { createAskAgain } from '../../../src/actions/record-refusal.ts';
import type { Message } from '../../../src/slack/message.ts';
import { ask } from '../../support/perform-world.ts';

it('says how long the action waited, offers it again behind a button, and audits that it was not performed', async () => {
  const answers: Message[] = [];
  const steps: unknown[] = [];
  const askAgain = createAskAgain({
    recordRefusal: async (_action, about) => void steps.push(about),
    answer: async (_action: Action, message) => void answers.push(message),
    putChoice: async ({ id }, questionId) => {
      steps.push({ id, questionId });
      return 'p_1';
    },
    doingOf: () => 'unblock cards',
    progress: {
      read: async () => ({ state: 'asked' }),
      async write(id, next) {
        steps.push({ id, ...next });
        return next;
      },
    },
    now: () => new Date('2026-11-20T15:14:00.000Z'),
  });

  await askAgain(ask('unblock'), { acctId: 7 });

  expect(steps).toEqual([
    { acctId: 7, why: 'waited longer than 10 minutes, so it was asked about again' },
    { id: 'act_unblock1', state: 'asked', isAskedAgain: true },
    { id: 'act_unblock1', questionId: 'act_unblock1' },
  ]);
  expect(answers[0]?.text).toContain('You asked 14 minutes ago to unblock cards');
  expect(JSON.stringify(answers[0]?.blocks)).toContain('"value":"p_1"');
});
