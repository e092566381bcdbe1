import { expect, it } from 'vitest';
import { releaseEndedQuiet } from '../../src/release-ended-quiet.ts';
import { createOutbox } from '../../src/store/outbox.ts';
import { createQuietHours } from '../../src/store/quiet-hours.ts';
import { useRedis } from './store/on-redis.ts';

const redis = useRedis();

it('what is held is let go where the quiet hours are gone, and nowhere else', async () => {
  const outbox = createOutbox(redis());
  const quietHours = createQuietHours(redis());
  const window = { from: '22:00', to: '07:00', zone: 'UTC', days: [0] };
  await quietHours.set({ channel: 'C0QUIET', window, except: null, by: 'U0ANA', at: '' });
  const held = { kind: 'alert', id: 'a', alertId: 'a', notBefore: Date.now() + 600_000 } as const;
  for (const channel of ['C0QUIET', 'C0LOUD']) await outbox.put(channel, held);

  await releaseEndedQuiet({ outbox, quietHours });

  expect(await outbox.waiting('C0LOUD')).toBe(1);
  expect(await outbox.waiting('C0QUIET')).toBe(0);
});
