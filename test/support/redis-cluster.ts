import { Redis } from 'ioredis';
import { freePort } from '../../local/port.ts';
import { type LocalRedis, startRedis } from '../../local/redis.ts';
import { until } from './until.ts';

const SLOTS = 16_384;

/** Three Redis servers of our own that share the slots, without replicas. */
export async function startCluster(size = 3): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const nodes: { server: LocalRedis; busPort: number }[] = await Promise.all(
    Array.from({ length: size }, async () => {
      const busPort = await freePort();
      const extraArgs = ['--cluster-enabled', 'yes', '--cluster-port', String(busPort)];
      const server = await startRedis({ extraArgs: [...extraArgs, '--cluster-announce-ip', '127.0.0.1'] });
      return { server, busPort };
    }),
  );
  const clients = nodes.map(({ server }) => new Redis(server.url));
  const [first] = nodes;
  for (const [index, client] of clients.entries()) {
    const [start, end] = [Math.floor((index * SLOTS) / size), Math.floor(((index + 1) * SLOTS) / size) - 1];
    await client.call('CLUSTER', 'ADDSLOTSRANGE', start, end);
    if (index > 0 && first !== undefined) {
      await client.call('CLUSTER', 'MEET', '127.0.0.1', first.server.port, first.busPort);
    }
  }
  await until(async () => {
    const infos = (await Promise.all(clients.map((client) => client.call('CLUSTER', 'INFO')))) as string[];
    return infos.every((info) => info.includes('cluster_state:ok') && info.includes(`cluster_known_nodes:${size}`));
  }, 'the cluster is whole');
  for (const client of clients) client.disconnect();
  return {
    url: nodes.map(({ server }) => server.url).join(','),
    async stop() {
      await Promise.all(nodes.map(({ server }) => server.stop()));
    },
  };
}
