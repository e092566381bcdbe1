import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import bolt from '@slack/bolt';
import { type ConnectionOptions, Queue } from 'bullmq';
import { Redis } from 'ioredis';

/** The naive implementation: a Bolt custom route, and `await queue.add` deduplicated by job id. No redaction. */
const redis = new Redis(process.env.REDIS_URL ?? '', { maxRetriesPerRequest: null });
const queue = new Queue('plain', { connection: redis as ConnectionOptions, prefix: '{plain}' });

async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = JSON.parse(Buffer.concat(chunks).toString('utf8')) as { Data: Record<string, unknown> };
  const { NetworkTransactionId, NetworkType, NetworkStatus, TransactionTime } = body.Data;
  const identity = JSON.stringify([NetworkTransactionId, NetworkType, NetworkStatus, TransactionTime]);
  const jobId = `net-${createHash('sha256').update(identity).digest('hex').slice(0, 20)}`;
  await queue.add('deliver', body.Data, { jobId });
  response.writeHead(200);
  response.end();
}

const receiver = new bolt.HTTPReceiver({
  signingSecret: 'bench',
  customRoutes: [
    {
      path: '/webhooks/decline',
      method: 'POST',
      handler: (request, response) => {
        receive(request, response).catch(() => {
          response.writeHead(503);
          response.end();
        });
      },
    },
  ],
});
await receiver.start(Number(process.env.PORT));
process.stdout.write('ready\n');
