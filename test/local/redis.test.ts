import { expect, it } from 'vitest';
import { startRedis } from '../../local/redis.ts';

it('fails if another server has the port, and leaves that server alone', async () => {
  const first = await startRedis();

  await expect(startRedis({ port: first.port })).rejects.toThrow(`redis-server did not start on port ${first.port}`);

  const again = startRedis({ port: first.port });
  await expect(again, 'the first server still has the port').rejects.toThrow(/exited with 1/);
  await first.stop();
});
