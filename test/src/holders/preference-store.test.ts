import { expect, it } from 'vitest';
import { createPreferences } from '../../../src/holders/preference-store.ts';
import { useRedis } from '../../support/on-redis.ts';

const redis = useRedis();

it('sends every kind of message until it is switched off, and again after it is switched on', async () => {
  const preferences = createPreferences(redis());

  expect(await preferences.isOn('U0HUGO', 'limit-warnings')).toBe(true);

  await preferences.set('U0HUGO', 'limit-warnings', false);
  await preferences.set('U0HUGO', 'declines', false);

  expect(await preferences.isOn('U0HUGO', 'limit-warnings')).toBe(false);
  expect(await preferences.switchedOff('U0HUGO')).toEqual(['declines', 'limit-warnings']);

  await preferences.set('U0HUGO', 'limit-warnings', true);

  expect(await preferences.switchedOff('U0HUGO')).toEqual(['declines']);
});

it("keeps one person's choices separate from other people's and from channels", async () => {
  const preferences = createPreferences(redis());
  await preferences.set('U0HUGO', 'expiring-cards', false);

  expect(await preferences.isOn('U0ANA', 'expiring-cards')).toBe(true);
  expect(await preferences.isOn('C0OPS', 'expiring-cards')).toBe(true);
});
