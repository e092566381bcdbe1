import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { listen } from '../../local/port.ts';
import { UsageError } from '../../sandbox/cli-flags.ts';
import { toCallbackTime } from '../../sandbox/service-time.ts';
import { parseTriggerArguments } from '../../sandbox/trigger/arguments.ts';
import { CATALOGUE, entryOf, freshData, sampleData } from '../../sandbox/trigger/catalogue.ts';
import { printCatalogue, trigger } from '../../sandbox/trigger/trigger.ts';
import { DECLINE_CODES } from '../../sandbox/webhook/decline-code.ts';
import { WEBHOOK_KINDS } from '../../sandbox/webhook/kind.ts';
import { DATA_SCHEMAS, Envelope } from '../../sandbox/webhook/schema.ts';
import { toStoredEvent } from '../../src/webhooks/kind.ts';
import { type Receiver, startReceiver } from './running-sandbox.ts';

const receivers = 'http://127.0.0.1:3000/webhooks';
let receiver: Receiver;
let out: string[];
let err: string[];
beforeAll(async () => {
  receiver = await startReceiver();
});
afterAll(() => receiver.close());
beforeEach(() => {
  out = [];
  err = [];
  receiver.received.length = 0;
  receiver.answer = (_request, response) => void response.writeHead(200).end();
});

const run = (...args: string[]): Promise<boolean> =>
  trigger(
    parseTriggerArguments(['--url', receiver.url, '--secret', 'S', ...args], '2.0.1.3', receivers),
    () => new Date(),
    {
      out: (line) => void out.push(line),
      err: (line) => void err.push(line),
    },
  );

describe('the catalogue', () => {
  it('has every kind and every decline code', () => {
    const names = CATALOGUE.map(({ name }) => name);

    expect(names).toEqual(expect.arrayContaining([...WEBHOOK_KINDS]));
    expect(CATALOGUE.map((entry) => sampleData(entry).MessageCode)).toEqual(
      expect.arrayContaining(DECLINE_CODES.map(({ code }) => code)),
    );
  });

  it('declines for a balance that does not cover the purchase', () => {
    const entry = entryOf('decline.balance.card');
    const { AvailableBalance, TransactionAmount } = entry === undefined ? {} : sampleData(entry);

    expect(Number(AvailableBalance)).toBeLessThan(Math.abs(Number(TransactionAmount)));
  });

  it.each(CATALOGUE.map((entry) => [entry.name, entry] as const))(
    'the sample of %s fits its schema',
    (_name, entry) => {
      expect(DATA_SCHEMAS[entry.kind].safeParse(sampleData(entry)).error).toBeUndefined();
    },
  );

  it('prints each entry with its sample', () => {
    printCatalogue({ out: (line) => void out.push(line), err: () => {} });

    for (const { name } of CATALOGUE) expect(out.some((line) => line.startsWith(`${name} `))).toBe(true);
    expect(out.join('\n')).toContain('"CVV2": "123"');
  });
});

describe('trigger', () => {
  it.each(CATALOGUE.map(({ name, kind }) => [name, kind] as const))(
    'sends %s to the receiver of %s, signed and well formed',
    async (name, kind) => {
      expect(await run(name)).toBe(true);

      const [{ path, headers, body }] = receiver.received as [(typeof receiver.received)[0]];
      expect(path).toBe(`/hooks/${kind}`);
      expect(headers.authorization).toBe(`Basic ${Buffer.from('S').toString('base64')}`);
      expect(Envelope.safeParse(body).error).toBeUndefined();
      expect(DATA_SCHEMAS[kind].safeParse(body.Data).error).toBeUndefined();
      expect(out).toEqual([`${name} → ${receiver.url}/${kind}: 200, taken`]);
    },
  );

  it('overrides any field, even with a negative number, and keeps the requested amount equal', async () => {
    await run(
      'decline.rule.velocity',
      '--TransactionAmount',
      '-12.5',
      '--MerchantName',
      'ELSEWHERE',
      '--IsCardPresent=false',
      '--TransactionId',
      '7',
      '--MerchantCity',
      'null',
    );

    expect(receiver.received[0]!.body.Data).toMatchObject({
      TransactionAmount: -12.5,
      MerchantRequestedAmount: -12.5,
      MerchantName: 'ELSEWHERE',
      IsCardPresent: false,
      TransactionId: 7,
      MerchantCity: null,
    });
  });

  it('sets fields of the card in a status change, and a message matching its code', async () => {
    await run('card-status', '--CardStatus', 'CLOSED', '--AcctId', '42');
    await run('decline', '--MessageCode', 'decline.card.pin');

    expect(receiver.received[0]!.body.Data).toMatchObject({ AcctId: 42, CardList: [{ CardStatus: 'CLOSED' }] });
    expect(receiver.received[1]!.body.Data).toMatchObject({
      MessageCode: 'decline.card.pin',
      Message: 'PIN Verification Check',
    });
  });

  it('sends a webhook that does not fit anyway, with a remark', async () => {
    await run('pin', '--TransactionAmount', 'much', '--Colour', 'red');

    expect(receiver.received[0]!.body.Data).toMatchObject({ TransactionAmount: 'much', Colour: 'red' });
    expect(err.join('\n')).toMatch(/TransactionAmount is sent as text[\s\S]*|Colour is no field/);
  });

  it.each([
    ['virtual-card', 'Errors', 'Funding', 'Errors is sent as text; the schema expects a list'],
    ['virtual-card', 'Errors', '5', 'Errors is sent as a number; the schema expects a list'],
    ['pin', 'IsCardPresent', 'yes', 'IsCardPresent is sent as text; the schema expects true or false'],
    ['pin', 'AcctId', 'one', 'AcctId is sent as text; the schema expects a number'],
    ['pin', 'TransactionId', 'one', 'TransactionId is sent as text; the schema expects a number'],
  ])('for %s --%s %s remarks: %s', async (name, field, value, remark) => {
    await run(name, `--${field}`, value);

    expect(err).toEqual([remark]);
  });

  it.each([
    ['virtual-card', 'Errors', '["Funding"]'],
    ['pin', 'NetworkTransactionId', '9007199254740993'],
    ['pin', 'TransactionId', '7'],
    ['pin', 'AcctId', 'null'],
  ])('has no remark about %s --%s %s', async (name, field, value) => {
    await run(name, `--${field}`, value);

    expect(err).toEqual([]);
  });

  it.each(['-h', '--help'])('explains itself with %s', (flag) => {
    expect(parseTriggerArguments([flag], '2.0.1.3', receivers).help).toBe(true);
  });

  it('says what to do about a certificate that is not for this address', async () => {
    const [cert, key] = ['cert.pem', 'key.pem'].map((name) => readFileSync(`test/fixtures/tls/${name}`));
    const server = createServer({ cert, key });
    const port = await listen(server);

    expect(await run('decline', '--url', `https://127.0.0.1:${port}/webhooks`)).toBe(false);

    expect(out.join()).toMatch(/its certificate does not verify for this address \(\w+\): use --url with the address/);
    server.close();
  });

  it('sends several events, or one event several times', async () => {
    await run('pin', '--times', '3');
    await run('pin', '--times', '3', '--same');

    const ids = receiver.received.map(({ body }) => body.Data.NetworkTransactionId);
    expect(new Set(ids.slice(0, 3)).size).toBe(3);
    expect(new Set(ids.slice(3)).size).toBe(1);
  });

  it.each(WEBHOOK_KINDS)('sends events that the bot tells apart, also within one millisecond: %s', (kind) => {
    const entry = entryOf(kind)!;
    const at = new Date('2026-03-02T17:31:07.124Z');
    const samples = [0, 1, 2].map((serial) => freshData(entry, at, serial));

    const ids = samples.map((Data, serial) => {
      const body = { CallbackTime: toCallbackTime(at, serial), Data };
      const options = { zone: 'America/New_York', version: undefined, receivedAt: at.toISOString() };
      return toStoredEvent(body, kind, options).id;
    });

    expect(new Set(ids).size).toBe(3);
    for (const data of samples) expect(DATA_SCHEMAS[kind].safeParse(data).error).toBeUndefined();
  });

  it.each([
    ['card-shipping', 'TrackingNumber'],
    ['virtual-card', 'VirtualCardOrderId'],
    ['pin', 'NetworkTransactionId'],
  ])('sends other events when it runs again: %s', (kind, field) => {
    const start = Date.parse('2026-03-02T17:31:07.124Z');
    // Two runs, one right after the other, with an event per millisecond.
    const ids = Array.from({ length: 3000 }, (_, count) =>
      String(freshData(entryOf(kind)!, new Date(start + count), count % 1500)[field]),
    );

    expect(new Set(ids).size).toBe(3000);
    // Thirteen digits could be a card number, which the bot masks.
    if (kind !== 'card-shipping') expect(Math.max(...ids.map((id) => id.length))).toBeLessThan(13);
  });

  it.each(['settlement', 'reversal'])('sends each %s of a purchase of its own, requested now', (kind) => {
    const at = new Date('2026-05-02T17:31:07.124Z');
    const [one, other] = [0, 1].map((serial) => freshData(entryOf(kind)!, at, serial));

    expect(one).toMatchObject({
      ReferencedTransactionTime: '2026-05-02T13:31:07',
      AuthTransactionId: expect.any(Number),
    });
    expect(one?.['AuthTransactionId']).toBe(one?.['ReferencedTranId']);
    expect(one?.['AuthTransactionId']).not.toBe(other?.['AuthTransactionId']);
  });

  it.each([
    ['2.0.1.3', -84.1],
    ['2.0.1.1', 84.1],
  ])('in version %s sends the amount as %f', async (version, amount) => {
    await run('authorization', '--version', version);

    expect(receiver.received[0]!.headers['x-service-version']).toBe(version);
    expect(receiver.received[0]!.body.Data.TransactionAmount).toBe(amount);
  });

  it('prints in a dry run without sending, and needs no secret', async () => {
    await trigger(parseTriggerArguments(['pin', '--dry-run'], '2.0.1.3', receivers), () => new Date(), {
      out: (line) => void out.push(line),
      err: () => {},
    });

    expect(JSON.parse(out[0]!)).toHaveProperty('Data.NetworkType', 'Pin');
    expect(receiver.received).toHaveLength(0);
  });

  it.each(['NetworkTransactionId', 'TransactionId', 'FieldOfTomorrow'])(
    'sends a 64-bit id as a number with all its digits: %s',
    async (field) => {
      const asked = parseTriggerArguments(['pin', `--${field}`, '9007199254740993', '--dry-run'], '2.0.1.3', receivers);
      await trigger(asked, () => new Date(), { out: (line) => void out.push(line), err: () => {} });

      expect(out[0]).toMatch(new RegExp(`"${field}": 9007199254740993,?\n`));
    },
  );

  it('sends a field whose sample is null with the type of its schema', async () => {
    await run('authorization', '--Message', '12', '--MessageCode', '0', '--TransactionId', '7');
    await run('settlement', '--NetworkStatus', 'true');

    expect(receiver.received[0]!.body.Data).toMatchObject({ Message: '12', MessageCode: '0', TransactionId: 7 });
    expect(receiver.received[1]!.body.Data).toMatchObject({ NetworkStatus: 'true' });
    expect(err).toEqual([]);
  });

  it.each([
    [201, true, 'taken'],
    [202, false, 'not taken'],
    [401, false, 'shared secret'],
    [404, false, 'no receiver'],
    [503, false, 'try again'],
  ])('explains the status %i in words', async (status, isTaken, words) => {
    receiver.answer = (_request, response) => void response.writeHead(status).end();

    expect(await run('pin')).toBe(isTaken);

    expect(out[0]).toContain(words);
  });

  it.each([
    [{ status: 'seen before' }, '200, seen before'],
    [{ status: 'kept aside: it does not fit the schema' }, '200, kept aside: it does not fit the schema'],
    [{ status: 7 }, '200, taken'],
    ['status', '200, taken'],
  ])('repeats what Cardbell did with an accepted webhook, if it answers %j', async (answer, words) => {
    receiver.answer = (_request, response) => void response.writeHead(200).end(JSON.stringify(answer));

    expect(await run('pin')).toBe(true);

    expect(out[0]).toMatch(new RegExp(`: ${words}$`));
  });

  it('says so when nothing listens', async () => {
    expect(await run('pin', '--to', 'http://127.0.0.1:9/')).toBe(false);

    expect(out[0]).toContain('nobody listens');
  });

  it.each([
    [['nonsense'], 'there is no kind nonsense'],
    [[], 'which KIND'],
    [['pin', 'decline'], 'one KIND at a time'],
    [['pin', '--colour', 'red'], 'there is no flag'],
    [['pin', '--times', '0'], '--times'],
    [['pin', '--AcctId'], 'needs a value'],
    [['pin', '--secret', '--dry-run', '--to', 'http://127.0.0.1:9/'], '--secret needs a value'],
    [['pin', '--secret', ''], '--secret must not be empty'],
    [['pin', '--url='], '--url must not be empty'],
    [['pin', '--MerchantName', '--times', '2'], '--MerchantName needs a value'],
    [['pin', '--same=false'], '--same takes no value'],
    [['pin', '--to', 'ftp://x'], '--to must be a URL'],
  ])('refuses %j', async (args, message) => {
    const refused = Promise.resolve().then(() => run(...args));

    await expect(refused).rejects.toThrow(UsageError);
    await expect(Promise.resolve().then(() => run(...args))).rejects.toThrow(message);
  });

  it('sends to the web process on this machine by default', () => {
    const urlOf = (args: string[]) => parseTriggerArguments(args, '2.0.1.3', receivers).url;
    expect(urlOf(['pin'])).toBe(receivers);
    expect(urlOf(['pin', '--url', 'https://cards.example.com/webhooks'])).toBe('https://cards.example.com/webhooks');
  });

  it('refuses to send without a secret', async () => {
    await expect(
      trigger(parseTriggerArguments(['pin'], '2.0.1.3', receivers), () => new Date(), { out: () => {}, err: () => {} }),
    ).rejects.toThrow('WEBHOOK_SHARED_SECRET');
  });
});
