import { expect, it } from 'vitest';
import { MESSAGE_SIZE_MAX, MESSAGE_TEXT_MAX } from '../../../src/slack/limits.ts';
import { requestReminder } from '../../../templates/approvals/request-notes.ts';
import { checkBlocks } from '../../../workspace/block-limits.ts';
import { limitChange } from '../../support/limit-goals.ts';
import { openRequestOf } from '../../support/limit-requests.ts';
import { card } from '../fixtures.ts';
import { shown } from '../shown.ts';

const facts = {
  purchase: { amountCents: 8410, merchant: 'Corner Diner on the Main Street', kind: 'Restaurants', link: null },
  left: [],
  there: [],
  earlier: [],
};
const approvers = Array.from({ length: 20 }, (_, index) => `U0APPROVER${index}`);
const linkOf = (index: number) => `https://example.slack.com/archives/C0123456789/p179518404000${index}`;
const waiting = (count: number, over: Parameters<typeof openRequestOf>[0] = {}) =>
  Array.from({ length: count }, (_, index) => ({
    request: openRequestOf({ id: `req_${index}`, facts, ...over }),
    link: linkOf(index),
  }));

it.each([1, 10, 30])(
  'a reminder of %i requests keeps every link it shows, the approvers and its last sentence',
  (count) => {
    const { text, blocks } = requestReminder(waiting(count), approvers);
    const read = shown(blocks);

    for (let index = 0; index < Math.min(count, 10); index += 1) expect(read).toContain(`<${linkOf(index)}|Open>`);
    expect(read.includes('… and 20 more.')).toBe(count === 30);
    expect(read).toContain('<@U0APPROVER19> Nothing changes until somebody decides.');
    expect(text).toContain('<@U0APPROVER19>');
    expect(checkBlocks(blocks, 'message')).toEqual([]);
  },
);

it('a reminder of requests with long names fits into one message, and says how many it leaves out', () => {
  const periods = ['daily', 'weekly', 'monthly', 'yearly', 'lifetime'] as const;
  const changes = periods.map((period) => limitChange(period, 400, 500, { id: 1, name: 'x'.repeat(300) }));
  const long = waiting(10, { changes, card: { ...card, holder: 'y'.repeat(300) } });
  const { text, blocks } = requestReminder(long, approvers);
  const read = shown(blocks);

  const links = read.match(/\|Open>/g)?.length ?? 0;
  const left = Number(/… and (\d+) more\./.exec(read)?.[1]);
  expect(links + left).toBe(10);
  expect(read).toContain('<@U0APPROVER19> Nothing changes until somebody decides.');
  expect(text).toContain('<@U0APPROVER19>');
  expect(text.length).toBeLessThanOrEqual(MESSAGE_TEXT_MAX);
  expect(JSON.stringify(blocks).length).toBeLessThan(MESSAGE_SIZE_MAX);
  expect(checkBlocks(blocks, 'message')).toEqual([]);
});
