import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it, vi } from 'vitest';
import { PayloadError, StoreUnavailableError } from '../../../src/core/errors.ts';
import type { StoredEvent } from '../../../src/core/event.ts';
import { createLog } from '../../../src/core/log.ts';
import { quarantine } from '../../../src/webhooks/quarantine.ts';
import { receiveWebhook } from '../../../src/webhooks/receive-webhook.ts';
import { webhook } from '../../fixtures/webhooks/webhook.ts';
import { read, readBody, receivedAt } from './read.ts';

type Deps = Parameters<typeof receiveWebhook>[3];

let server: Server | undefined;
afterEach(() => {
  server?.close();
  server?.closeAllConnections();
});

/** Sends one body to a receiver with these dependencies. */
async function deliver(given: Partial<Deps>, body = '{"CallbackTime":"x","Data":{}}') {
  const take = vi.fn<Deps['take']>(async () => 'new');
  const toEvent = vi.fn<Deps['toEvent']>(() => read('decline'));
  const measure = vi.fn<Deps['measure']>();
  const deps: Deps = {
    isAuthentic: () => true,
    toEvent,
    toQuarantined: quarantine,
    take,
    measure,
    now: () => new Date(receivedAt),
    log: createLog({ level: 'silent', process: 'test' }),
    ...given,
  };
  server = createServer((request, response) => void receiveWebhook('decline', request, response, deps));
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const headers = { 'content-type': 'application/json', 'x-service-version': '2.0.1.1' };
  const response = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body });
  return { status: response.status, text: await response.text(), take, toEvent, measure };
}

it('hands on the JSON, the path and the facts about the request, and stores the event that comes of it', async () => {
  const { status, take, toEvent } = await deliver({});

  expect(status).toBe(200);
  expect(toEvent).toHaveBeenCalledWith({ CallbackTime: 'x', Data: {} }, 'decline', { version: '2.0.1.1', receivedAt });
  expect(take).toHaveBeenCalledExactlyOnceWith({ type: 'event', event: read('decline') });
});

it('reads a body that arrives in several pieces as one', async () => {
  const padding = 'x'.repeat(100_000);
  const { status, toEvent } = await deliver({}, JSON.stringify({ CallbackTime: 'x', Data: { padding } }));

  expect(status).toBe(200);
  expect(toEvent.mock.calls[0]?.[0]).toEqual({ CallbackTime: 'x', Data: { padding } });
});

it('keeps every digit of ids of 64 bits, which JavaScript cannot hold as numbers', async () => {
  const text = JSON.stringify(webhook('settlement'))
    .replace('2265020', '9007199254740993')
    .replace('2465657073', '9223372036854775807');
  const { status, take } = await deliver({ toEvent: (body, path, facts) => readBody(body, path, facts.version) }, text);
  const other = await deliver(
    { toEvent: (body, path, facts) => readBody(body, path, facts.version) },
    text.replace('9223372036854775807', '9223372036854775806'),
  );

  expect(status).toBe(200);
  const [entry, neighbour] = [take.mock.calls[0]?.[0], other.take.mock.calls[0]?.[0]];
  expect(entry).toMatchObject({ type: 'event', event: { networkTransactionId: '9007199254740993' } });
  expect(entry?.type === 'event' && entry.event.id).not.toBe(neighbour?.type === 'event' && neighbour.event.id);
});

it.each([
  ['new', 'taken', 'stored'],
  ['seen', 'seen before', 'duplicate'],
] as const)(
  'says of an event that is %s that it is %j, and measures how long storing it took',
  async (taken, says, name) => {
    const { text, measure } = await deliver({ take: async () => taken });

    expect(JSON.parse(text)).toEqual({ status: says });
    expect(measure).toHaveBeenCalledExactlyOnceWith('decline', name, true, expect.any(Number));
  },
);

it('counts a webhook that Redis cannot take by a name of its own, and does not measure it', async () => {
  const { status, measure } = await deliver({
    take: async () => {
      throw new StoreUnavailableError('redis is not connected');
    },
  });

  expect(status).toBe(503);
  expect(measure).toHaveBeenCalledExactlyOnceWith('decline', 'store_unavailable', false, expect.any(Number));
});

it('keeps aside what does not fit, with what is wrong, and never the event', async () => {
  const toEvent = (): StoredEvent => {
    throw new PayloadError(['AcctId: expected a positive id']);
  };

  const { status, take } = await deliver({ toEvent });

  expect(status).toBe(200);
  expect(take).toHaveBeenCalledTimes(1);
  expect(take.mock.calls[0]?.[0]).toMatchObject({
    type: 'quarantine',
    webhook: { path: 'decline', version: '2.0.1.1', issues: ['AcctId: expected a positive id'] },
  });
});

it('keeps aside what it stumbles over itself: the retries would stumble as well, and then the event is lost', async () => {
  const toEvent = (): StoredEvent => {
    throw new TypeError('a fault of ours with 4111111111111111');
  };

  const { status, take } = await deliver({ toEvent });

  expect(status).toBe(200);
  expect(take.mock.calls[0]?.[0]).toMatchObject({ type: 'quarantine' });
  expect(JSON.stringify(take.mock.calls)).not.toContain('4111111111111111');
});

it.each([
  ['an event', () => read('decline')],
  [
    'what does not fit',
    () => {
      throw new PayloadError(['x']);
    },
  ],
])('says 503 when the store cannot take %s', async (_what, toEvent) => {
  const take = async (): Promise<never> => {
    throw new StoreUnavailableError('redis is not connected');
  };

  expect((await deliver({ take, toEvent })).status).toBe(503);
});

it('says 500 when the store fails in a way that nobody expected, so that the service tries again', async () => {
  const take = async (): Promise<never> => {
    throw new RangeError('what is this');
  };

  const { status, text } = await deliver({ take });

  expect(status).toBe(500);
  expect(text).not.toContain('what is this');
});

it('reads and stores nothing of a caller that is not authentic', async () => {
  const { status, take, toEvent } = await deliver({ isAuthentic: () => false });

  expect(status).toBe(401);
  expect(toEvent).not.toHaveBeenCalled();
  expect(take).not.toHaveBeenCalled();
});
