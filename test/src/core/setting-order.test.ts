import { expect, it } from 'vitest';
import { createBeginSetting, createSettingOrder } from '../../../src/core/setting-order.ts';
import { useRedis } from '../../support/on-redis.ts';

const redis = useRedis();

it('lets an action that runs again set something only while no other has set it since', async () => {
  const settingOrder = createSettingOrder(redis());
  const begun = new Set<string>();
  const beginSetting = createBeginSetting({ settingOrder, hasBegun: async ({ id }) => begun.has(id) });
  const first = { id: 'act_1' };
  const second = { id: 'act_2' };

  expect(await beginSetting(first, 'link:610009')).toBe(true);
  begun.add('act_1');
  expect(await beginSetting(first, 'link:610009')).toBe(true);

  expect(await beginSetting(second, 'link:610010')).toBe(true);
  expect(await beginSetting(first, 'link:610009'), 'another card').toBe(true);

  expect(await beginSetting(second, 'link:610009')).toBe(true);
  begun.add('act_2');
  expect(await beginSetting(first, 'link:610009')).toBe(false);
  expect(await beginSetting(second, 'link:610009')).toBe(true);
});

it('lets an action go on whose beginning an older version did not note', async () => {
  const beginSetting = createBeginSetting({ settingOrder: createSettingOrder(redis()), hasBegun: async () => true });

  expect(await beginSetting({ id: 'act_1' }, 'link:610009')).toBe(true);
});
