import { describe, expect, it } from 'vitest';
import type { ActionState } from '../../../src/actions/action-state.ts';
import { createRecord } from '../../../src/actions/record.ts';
import type { Statement } from '../../../src/audit/audit-record.ts';
import { acctId, ask } from '../../support/perform-world.ts';

const at = '2026-11-20T15:00:00.000Z';
const action = ask('block', { reason: 'lost on the train' });

function setUp(written: ActionState | null = null, duration: string | null = null) {
  const chain: Statement[] = [];
  const lines: string[] = [];
  const progress: ActionState[] = written === null ? [] : [written];
  const record = createRecord({
    durationOf: (_action, until) => (until == null ? duration : `${duration}, until ${until}`),
    audit: { append: async (entry) => void chain.push(entry) },
    progress: {
      read: async () => progress.at(-1) ?? null,
      write: async (_id, entry) => {
        progress.push(entry);
        return entry;
      },
    },
    postAuditLine: async (id, { text }) => void lines.push(`${id}: ${text}`),
    now: () => new Date(at),
  });
  return { record, chain, lines, progress };
}

describe('an event of an action', () => {
  it('is added to the chain with the requester and their reason', async () => {
    const { record, chain, lines } = setUp();

    await record(action, { event: 'sent', acctId });

    expect(chain).toEqual([
      expect.objectContaining({
        at,
        event: 'sent',
        verb: 'block',
        acctId,
        cardId: null,
        actor: action.actor,
        reason: 'lost on the train',
      }),
    ]);
    expect(lines, 'an event without a line is not posted to the audit channel').toEqual([]);
  });

  it('is posted to the audit channel as a line with the same before and after', async () => {
    const { record, lines } = setUp();

    await record(action, { event: 'done', before: 'active', after: 'blocked', line: { did: 'blocked it' } });

    expect(lines).toEqual([
      expect.stringMatching(/^audit-act_block1-done: <@U0OLGA> blocked it: active → blocked, “lost on the train”/),
    ]);
  });

  it('says in its line how long the new value lasts, and until when if that is known', async () => {
    const { record, chain, lines } = setUp(null, 'for 4 hours');
    const until = '2026-11-20T19:00:00.000Z';
    const sides = { before: '$1.00', after: '$2.00' };

    await record(action, { event: 'waiting', ...sides, line: { did: 'asked' } });
    await record(action, { event: 'done', ...sides, line: { did: 'did it', until } });
    await record(action, { event: 'failed', line: { did: 'tried it' } });
    await record(action, { event: 'approved', duration: 'for 1 hour', line: { did: 'approved it' } });

    expect(lines[0]).toContain('asked: $1.00 → $2.00, for 4 hours, “lost');
    expect(lines[1]).toMatch(/did it: \$1\.00 → \$2\.00, for 4 hours, <!date\^1795201200\^until .*>, “lost/);
    expect(lines[2], 'no value, so nothing lasts').toMatch(/tried it: “lost/);
    expect(chain.map(({ duration }) => duration)).toEqual([...Array(3).fill('for 4 hours'), 'for 1 hour']);
  });

  it('names no actor if it happened automatically', async () => {
    const { record, chain } = setUp();

    await record(action, { event: 'ended', isByItself: true });

    expect(chain).toMatchObject([{ event: 'ended', actor: null, roles: [] }]);
  });

  it('is only posted, not recorded again, if it is already on record', async () => {
    const { record, chain, lines } = setUp();

    await record(action, { event: null, lineKey: 'override', line: { did: 'broke the glass for' } });

    expect(chain).toEqual([]);
    expect(lines).toEqual([expect.stringMatching(/^audit-act_block1-override: /)]);
  });
});

describe('the first event of an action', () => {
  const first = { event: 'done', begins: true, line: { did: 'muted' } } as const;

  it('is recorded once; after a crash only its line is posted again', async () => {
    const { record, chain, lines } = setUp();

    await record(action, { ...first, before: 'nothing' });
    await record(action, { ...first, before: 'what the first attempt made of it' });

    expect(chain).toMatchObject([{ before: 'nothing' }]);
    expect(lines).toHaveLength(2);
  });

  it('is recorded before the action is marked as begun', async () => {
    const { record, chain, progress } = setUp();

    await record(action, first);

    expect(chain).toHaveLength(1);
    expect(progress).toEqual([{ state: 'asked' }]);
  });
});
