import type { Redis } from 'ioredis';

type Hash = Map<string, string | Buffer>;
type Value = string | string[] | Hash | Map<string, number> | Set<string>;
type Arg = string | number;
type Fields = Readonly<Record<string, Arg | Buffer>>;
type Command = (...args: Arg[]) => unknown;

/**
 * An in-memory Redis with the commands and scripts of the action stores, on the test's clock. For tests with thousands of
 * steps over months. Any other command is an error.
 */
export function memoryRedis(now: () => Date): Redis {
  const commands: Readonly<Record<string, Command>> = createCommands(() => now().getTime());
  const call = (name: string): Command => {
    const command = commands[name];
    if (command === undefined) throw new Error(`the in-memory Redis does not know ${name}`);
    return (...args) => command(...args);
  };
  const multi = (): object => {
    const queued: (() => unknown)[] = [];
    const chain: object = new Proxy(
      { exec: async () => queued.map((run) => [null, run()]) },
      {
        get: (target, name) =>
          Reflect.get(target, name) ??
          ((...args: Arg[]) => {
            queued.push(() => call(String(name))(...args));
            return chain;
          }),
      },
    );
    return chain;
  };
  return new Proxy({} as Redis, {
    get(_target, name) {
      if (name === 'multi') return multi;
      if (name === 'defineCommand') return () => {};
      if (name === 'then') return undefined;
      return async (...args: Arg[]) => call(String(name))(...args);
    },
  });
}

function createCommands(nowMs: () => number) {
  const keys = new Map<string, { value: Value; endsAt: number }>();
  const read = <V extends Value>(key: Arg): V | null => {
    const found = keys.get(String(key));
    if (found === undefined) return null;
    if (found.endsAt > nowMs()) return found.value as V;
    keys.delete(String(key));
    return null;
  };
  const write = <V extends Value>(key: Arg, value: V, endsAt = keys.get(String(key))?.endsAt): V => {
    keys.set(String(key), { value, endsAt: endsAt ?? Number.POSITIVE_INFINITY });
    return value;
  };
  const hash = (key: Arg) => read<Hash>(key) ?? write(key, new Map<string, string | Buffer>());
  const scores = (key: Arg) => read<Map<string, number>>(key) ?? write(key, new Map<string, number>());
  const list = (key: Arg) => read<string[]>(key) ?? write(key, []);
  const set = (key: Arg) => read<Set<string>>(key) ?? write(key, new Set<string>());
  const sorted = (key: Arg) => [...scores(key)].toSorted(([a, x], [b, y]) => x - y || (a < b ? -1 : 1));
  const bound = (value: Arg): number => {
    const number =
      value === '-inf' ? Number.NEGATIVE_INFINITY : value === '+inf' ? Number.POSITIVE_INFINITY : Number(value);
    if (Number.isNaN(number)) throw new Error(`ERR min or max is not a float: ${value}`);
    return number;
  };
  const isWithin = (score: number, least: Arg, most: Arg): boolean => {
    const isExclusive = (limit: Arg): boolean => String(limit).startsWith('(');
    const [from, to] = [least, most].map((limit) => bound(isExclusive(limit) ? String(limit).slice(1) : limit)) as [
      number,
      number,
    ];
    return (isExclusive(least) ? score > from : score >= from) && (isExclusive(most) ? score < to : score <= to);
  };
  const slice = <T>(all: readonly T[], from: Arg, to: Arg): T[] =>
    all.slice(Number(from), Number(to) === -1 ? undefined : Number(to) + 1);
  const names = (pairs: readonly [string, number][]) => pairs.map(([member]) => member);
  const expire = (key: Arg, ms: number, condition?: Arg): number => {
    const found = keys.get(String(key));
    if (found === undefined || (condition === 'NX' && found.endsAt !== Number.POSITIVE_INFINITY)) return 0;
    found.endsAt = nowMs() + ms;
    return 1;
  };

  const strings = {
    get: (key: Arg) => read<string>(key),
    mget: (...all: (Arg | Arg[])[]) => all.flat().map((key) => read<string>(key)),
    set(key: Arg, value: Arg, ...options: Arg[]) {
      if (options.includes('NX') && read(key) !== null) return null;
      const [seconds, ms] = ['EX', 'PX'].map((name) => options[options.indexOf(name) + 1]);
      const lasts = options.includes('EX') ? Number(seconds) * 1000 : options.includes('PX') ? Number(ms) : null;
      write(key, String(value), lasts === null ? Number.POSITIVE_INFINITY : nowMs() + lasts);
      return 'OK';
    },
    exists: (key: Arg) => Number(read(key) !== null),
    append: (key: Arg, text: Arg) => write(key, `${read<string>(key) ?? ''}${text}`).length,
    incr: (key: Arg) => Number(write(key, String(Number(read<string>(key) ?? 0) + 1))),
    renamenx(from: Arg, to: Arg) {
      const value = keys.get(String(from));
      if (value === undefined) throw new Error('ERR no such key');
      if (read(to) !== null) return 0;
      keys.delete(String(from));
      keys.set(String(to), value);
      return 1;
    },
    del: (...all: Arg[]) => all.filter((key) => keys.delete(String(key))).length,
    expire: (key: Arg, seconds: Arg, condition?: Arg) => expire(key, Number(seconds) * 1000, condition),
    expireat: (key: Arg, seconds: Arg) => expire(key, Number(seconds) * 1000 - nowMs()),
    pexpire: (key: Arg, ms: Arg) => expire(key, Number(ms)),
    pttl: (key: Arg) => (read(key) === null ? -2 : (keys.get(String(key))?.endsAt ?? 0) - nowMs()),
  };
  const hashes = {
    hget: (key: Arg, field: Arg) => hash(key).get(String(field))?.toString() ?? null,
    hmget: (key: Arg, ...fields: Arg[]) =>
      fields.flat().map((field) => hash(key).get(String(field))?.toString() ?? null),
    hgetall: (key: Arg) => Object.fromEntries([...hash(key)].map(([field, value]) => [field, value.toString()])),
    hvals: (key: Arg) => [...hash(key).values()].map(String),
    hset(key: Arg, given: Arg | Fields, value: Arg = '') {
      const fields: Fields = typeof given === 'object' && !Buffer.isBuffer(given) ? given : { [String(given)]: value };
      for (const [field, one] of Object.entries(fields)) hash(key).set(field, Buffer.isBuffer(one) ? one : String(one));
      return Object.keys(fields).length;
    },
    hsetnx: (key: Arg, field: Arg, value: Arg) =>
      hash(key).has(String(field)) ? 0 : Math.sign(hash(key).set(String(field), String(value)).size),
    hdel: (key: Arg, ...fields: Arg[]) => fields.filter((field) => hash(key).delete(String(field))).length,
  };
  const lists = {
    rpush: (key: Arg, line: Arg) => list(key).push(String(line)),
    llen: (key: Arg) => list(key).length,
    lrange: (key: Arg, from: Arg, to: Arg) => slice(list(key), from, to),
  };
  const sets = {
    sadd: (key: Arg, ...members: Arg[]) => members.map((member) => set(key).add(String(member))).length,
    srem: (key: Arg, ...members: Arg[]) => members.filter((member) => set(key).delete(String(member))).length,
    smembers: (key: Arg) => [...(read<Set<string>>(key) ?? [])],
    scard: (key: Arg) => set(key).size,
  };
  const sortedSets = {
    zadd(key: Arg, ...rest: Arg[]) {
      const isNew = rest[0] === 'NX';
      const [score, member] = isNew ? rest.slice(1) : rest;
      if (!(isNew && scores(key).has(String(member)))) scores(key).set(String(member), Number(score));
      return 1;
    },
    zrem: (key: Arg, ...members: Arg[]) => members.filter((member) => scores(key).delete(String(member))).length,
    zscore: (key: Arg, member: Arg) => scores(key).get(String(member))?.toString() ?? null,
    zmscore: (key: Arg, ...members: Arg[]) =>
      members.map((member) => scores(key).get(String(member))?.toString() ?? null),
    zrange: (key: Arg, from: Arg, to: Arg) => slice(names(sorted(key)), from, to),
    zrevrange: (key: Arg, from: Arg, to: Arg) => slice(names(sorted(key).toReversed()), from, to),
    zrangebyscore: (key: Arg, least: Arg, most: Arg, withScores?: Arg) =>
      sorted(key)
        .filter(([, score]) => isWithin(score, least, most))
        .flatMap(([member, score]) => (withScores === undefined ? [member] : [member, String(score)])),
    zrevrangebyscore: (key: Arg, most: Arg, least: Arg, _limit: 'LIMIT', offset: Arg, count: Arg) =>
      names(sorted(key).filter(([, score]) => isWithin(score, least, most)))
        .toReversed()
        .slice(Number(offset), Number(offset) + Number(count)),
    zrangebylex: (key: Arg, from: Arg, to: Arg) =>
      names(sorted(key)).filter((member) => member >= String(from).slice(1) && member < String(to).slice(1)),
    zremrangebyrank: (key: Arg, from: Arg, to: Arg) => {
      const all = names(sorted(key));
      const at = (rank: Arg): number => (Number(rank) < 0 ? all.length + Number(rank) : Number(rank));
      return all.slice(Math.max(0, at(from)), Math.max(0, at(to) + 1)).filter((member) => scores(key).delete(member))
        .length;
    },
    zremrangebyscore: (key: Arg, least: Arg, most: Arg) =>
      sorted(key)
        .filter(([, score]) => isWithin(score, least, most))
        .filter(([member]) => scores(key).delete(member)).length,
  };
  const scripts = {
    'core/free-lock': (_count: Arg, key: Arg, owner: Arg) => (strings.get(key) === owner ? strings.del(key) : 0),
    'core/change-record'(count: Arg, key: Arg, ...rest: Arg[]) {
      const open = Number(count) > 1 ? rest.shift() : undefined;
      const [next = '', seen, seconds = '', order = '', id = ''] = rest;
      const stands = strings.get(key) ?? '';
      if (stands !== seen) return stands;
      strings.set(key, next, 'EX', seconds);
      if (open === undefined) return 0;
      if (order === '') sortedSets.zrem(open, id);
      else sortedSets.zadd(open, order, id);
      return 0;
    },
    'alerts/save-alerts'(count: Arg, ...rest: Arg[]) {
      const [list = '', ...alerts] = rest.slice(0, Number(count));
      const [seconds = '', length = 0, each, endsAt = ''] = rest.slice(Number(count));
      if (Number(each) !== 1) throw new Error('this saves alerts, but records none');
      const given = rest.slice(-2 * alerts.length);
      for (const [index, alert] of alerts.entries()) {
        const [id = '', , isLate = ''] = String(given[2 * index]).split(' ');
        const packed = given[2 * index + 1] as unknown as Buffer;
        hashes.hset(alert, 'late', isLate);
        for (let piece = 0; piece * Number(length) < packed.length; piece += 1)
          hashes.hset(alert, { [`p${piece}`]: packed.subarray(piece * Number(length), (piece + 1) * Number(length)) });
        strings.expire(alert, seconds);
        strings.append(list, `${id}\n`);
        strings.expireat(list, endsAt);
      }
      return [];
    },
    /** The only read-only script is alerts/read-alerts. */
    callBuffer: (_command: Arg, _digest: Arg, _count: Arg, ...alerts: Arg[]) =>
      alerts.map((alert) => {
        const fields = [...hash(alert)].map(([name, value]) => [name, Buffer.from(value as string)] as const);
        const pieces = fields
          .filter(([name]) => /^p\d+$/.test(name))
          .toSorted(([a], [b]) => Number(a.slice(1)) - Number(b.slice(1)));
        const others = fields.filter(([name]) => /^(outcome|repeats|timeline|progress|asked|tried)\b/.test(name));
        return [Buffer.concat(pieces.map(([, value]) => value)), ...others.flat().map((part) => Buffer.from(part))];
      }),
    'outbox/add-message'(count: Arg, ...rest: Arg[]) {
      const [at = '', ...subjects] = rest.slice(0, Number(count));
      const [lasts = '', lines = '', field = '', step = '', stepAt = '', ...values] = rest.slice(Number(count));
      strings.append(at, lines);
      strings.expire(at, lasts);
      return subjects.map((subject, index) => {
        hashes.hset(subject, field, values[index] ?? '');
        if (step !== '') hashes.hsetnx(subject, step, stepAt);
        strings.expire(subject, lasts);
        return hashes.hget(subject, 'updates') ?? '0';
      });
    },
    'outbox/read-updates': (_count: Arg, ...subjects: Arg[]) =>
      subjects.map((subject) => hashes.hget(subject, 'updates') ?? '0'),
    'audit/append'(_count: Arg, chain: Arg, head: Arg, memory: Arg, _archived: Arg, ...rest: Arg[]) {
      const [seen, line, own, seconds] = rest;
      if (strings.exists(memory) === 1) return ['known'];
      const last = strings.get(head) ?? seen;
      if (last !== seen) return ['moved', last];
      strings.set(head, own ?? '');
      strings.set(memory, '1', 'EX', seconds ?? 0);
      return ['added', lists.rpush(chain, line ?? '')];
    },
    'alerts/open-fraud-case'(_count: Arg, open: Arg, ofAlert: Arg, ofReport: Arg, opens: Arg, seconds: Arg) {
      const known = strings.get(ofReport);
      if (known !== null) return known;
      strings.set(open, opens, 'EX', seconds, 'NX');
      strings.expire(open, seconds);
      const stands = strings.get(open) ?? '';
      strings.set(ofAlert, stands.split(' ')[0] ?? '', 'EX', seconds);
      strings.set(ofReport, stands, 'EX', seconds);
      return stands;
    },
    'holders/set-link'(...args: Arg[]) {
      const [, links = '', byUser = '', former = '', acctId = '', link = '', userId = '', at = '', lasts = ''] = args;
      const old = hashes.hget(links, acctId);
      const holder = old === null ? null : (JSON.parse(old) as { userId: string }).userId;
      if (holder !== null) sortedSets.zrem(byUser, `${holder}:${acctId}`);
      if (holder !== null && holder !== userId) {
        sortedSets.zadd(former, at, holder);
        strings.pexpire(former, lasts);
      }
      if (link === '') return hashes.hdel(links, acctId);
      hashes.hset(links, acctId, link);
      return sortedSets.zadd(byUser, 0, `${userId}:${acctId}`);
    },
  };
  return { ...strings, ...hashes, ...lists, ...sets, ...sortedSets, ...scripts } as Readonly<Record<string, Command>>;
}
