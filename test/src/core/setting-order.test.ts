import { expect, it } from 'vitest';
import { createBeginSetting, createSettingOrder } from '../../../src/core/setting-order.ts';
import { useRedis } from '../../support/on-redis.ts';

const redis = useRedis();
const first = { id: 'act_1', askedAt: '2026-11-20T15:00:00.000Z' };
const second = { id: 'act_2', askedAt: '2026-11-20T15:00:00.500Z' };

it('lets an action that runs again set something only while no other has set it since', async () => {
  const beginSetting = createBeginSetting({ settingOrder: createSettingOrder(redis()) });

  expect(await beginSetting(first, 'link:610009')).toBe(true);
  expect(await beginSetting(first, 'link:610009')).toBe(true);

  expect(await beginSetting(second, 'link:610010')).toBe(true);
  expect(await beginSetting(first, 'link:610009'), 'another card').toBe(true);

  expect(await beginSetting(second, 'link:610009')).toBe(true);
  expect(await beginSetting(first, 'link:610009')).toBe(false);
  expect(await beginSetting(second, 'link:610009')).toBe(true);
});

it('does not let an action that waited set something that was asked for later', async () => {
  const beginSetting = createBeginSetting({ settingOrder: createSettingOrder(redis()) });

  expect(await beginSetting(second, 'link:610009')).toBe(true);

  expect(await beginSetting(first, 'link:610009')).toBe(false);
});

it('lets an action go on whose beginning an older version did not note', async () => {
  const beginSetting = createBeginSetting({ settingOrder: createSettingOrder(redis()) });

  expect(await beginSetting(first, 'link:610009')).toBe(true);
});

it('lets an action begin after one of an older version, which noted no time', async () => {
  const settingOrder = createSettingOrder(redis());
  await settingOrder.note('link:610009', { id: 'act_0', askedAt: '' });

  expect(await createBeginSetting({ settingOrder })(first, 'link:610009')).toBe(true);
});
