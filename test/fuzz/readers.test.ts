import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { readTestedCardValue } from '../../src/alerts/alert.ts';
import { declineReason } from '../../src/alerts/decline-reason.ts';
import { Term } from '../../src/card-api/rule-change.ts';
import { toCardStatus } from '../../src/card-api/schema.ts';
import { readSpendRules, toSpendRulesBody } from '../../src/card-api/spend-rules.ts';
import {
  addDays,
  readDay,
  readTimeOfDay,
  readWeekday,
  weekdayNames,
  weekdayOf,
} from '../../src/core/calendar-words.ts';
import { isCardNumber, maskCardNumbers } from '../../src/core/card-number.ts';
import { formatDuration, readDuration } from '../../src/core/duration.ts';
import { endOf, isPlainlyTime, readEnd } from '../../src/core/end-time.ts';
import { AppError, ConfigError, PayloadError } from '../../src/core/errors.ts';
import { StoredEvent } from '../../src/core/event.ts';
import { parseExactly } from '../../src/core/exact-json.ts';
import { countryName, merchantCategory } from '../../src/core/merchant-category.ts';
import { formatCents, parseAmount, readAmount } from '../../src/core/money.ts';
import { isTimeZone, toInstant, toWallClock, toWallText } from '../../src/core/service-time.ts';
import { readSince, Since } from '../../src/core/since.ts';
import { interpret, nameKeys, nameWords } from '../../src/directory/card-query.ts';
import { parseCommand, parseTerm, readSlashText } from '../../src/dispatch/command.ts';
import { ChangeRequest } from '../../src/limits/change-request.ts';
import { readTerm, readTermAlone } from '../../src/limits/read-term.ts';
import { parseEntry } from '../../src/outbox/entry.ts';
import { policyOfVariables } from '../../src/policy/policy.ts';
import { parsePolicy } from '../../src/policy/policy-file.ts';
import { readYaml } from '../../src/policy/read-yaml.ts';
import { muteEndOf } from '../../src/routing/mute-end.ts';
import { redactShipping } from '../../src/webhooks/card-shipping.ts';
import { lastFour, redactCardStatus } from '../../src/webhooks/card-status.ts';
import { familyOf, toStoredEvent } from '../../src/webhooks/kind.ts';
import { instantOf } from '../../src/webhooks/payload.ts';
import { quarantine } from '../../src/webhooks/quarantine.ts';
import { hasCurrentSigns, redactTransaction } from '../../src/webhooks/transaction.ts';
import { redactVirtualCard } from '../../src/webhooks/virtual-card.ts';
import { trackingLink } from '../../templates/core/tracking-link.ts';
import { webhook, webhookNames } from '../fixtures/webhooks/webhook.ts';
import { clock } from '../support/clock.ts';
import { examples } from '../support/examples.ts';
import { anyJson, spiteful } from './strings.ts';

const eastern = 'America/New_York';
const receivedAt = '2026-03-02T17:31:08.000Z';
const circumstances = { zone: eastern, version: '2.0.1.3', receivedAt, callbackAt: receivedAt };
const facts = { zone: eastern, version: '2.0.1.3', receivedAt };

/** A real payload with one field replaced by anything, which is closer to future senders than pure noise. */
const bentPayload = fc
  .tuple(fc.constantFrom(...webhookNames), fc.nat(), anyJson, fc.boolean())
  .map(([kind, at, value, isGone]) => {
    const body = webhook(kind);
    const fields = Object.keys(body.Data);
    const field = fields[at % fields.length] ?? '';
    if (isGone) delete body.Data[field];
    else body.Data[field] = value;
    return { kind, body };
  });

/** The result of a reader, or null when it rejects the payload. Any other error is a fault. */
function orMisfit<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof PayloadError)) throw error;
    return null;
  }
}

const check = <T>(arbitrary: fc.Arbitrary<T>, holds: (value: T) => void, numRuns = examples(150)) =>
  fc.assert(
    fc.property(arbitrary, (value) => {
      holds(value);
    }),
    { numRuns },
  );
const ofText = (holds: (text: string) => void) => check(spiteful, holds);

/** Times around both clock changes, and any other time within 25 years. */
const instants = fc.oneof(
  fc.integer({ min: Date.UTC(2026, 2, 8, 4), max: Date.UTC(2026, 2, 8, 10) }),
  fc.integer({ min: Date.UTC(2026, 10, 1, 3), max: Date.UTC(2026, 10, 1, 9) }),
  fc.integer({ min: Date.UTC(2015, 0, 1), max: Date.UTC(2040, 0, 1) }),
);

/** Time words mixed with other words and arbitrary strings. */
const timeWords = fc.array(
  fc.oneof(
    spiteful,
    fc.constantFrom('for', 'until', 'til', 'a', 'two', '2', 'hours', '4h', 'today', 'tonight', 'tomorrow', '9am', 'at'),
    fc.constantFrom('next', 'week', 'friday', 'May', '9', '31', 'Feb', '5/9', '2026-12-24', 'midnight', 'the', 'lunch'),
  ),
  { maxLength: 6 },
);

/** Every reader of external input, with a property that holds for any input. */
function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const properties: Readonly<Record<string, () => void>> = {
  parseExactly() {
    ofText((text) => {
      let plain: unknown;
      try {
        plain = JSON.parse(text);
      } catch {
        expect(() => parseExactly(text)).toThrow(SyntaxError);
        return;
      }
      if (!/\d{16}/.test(text)) expect(parseExactly(text)).toEqual(plain);
    });
  },
  parseEntry() {
    // Redis contains data of some version of Cardbell: JSON with at least an id.
    check(
      fc.record({ id: fc.string() }).chain((entry) => anyJson.map((more) => ({ more, ...entry }))),
      (stored) => {
        expect(parseEntry(stored.id, JSON.stringify(stored))).toEqual({
          unreadable: { id: stored.id, entry: JSON.parse(JSON.stringify(stored)) },
        });
      },
    );
    ofText((text) => {
      // A single word is the priority of a plain alert.
      if (!isJson(text) && !/^[a-z-]+$/.test(text)) expect(() => parseEntry('a', text)).toThrow(SyntaxError);
    });
  },
  parseAmount() {
    ofText((text) => {
      const cents = parseAmount(text);
      if (cents !== null) expect(Number.isSafeInteger(cents) && cents >= 0).toBe(true);
    });
    check(fc.integer({ min: 0, max: 99_999_999_999 }), (cents) => expect(parseAmount(formatCents(cents))).toBe(cents));
  },
  readAmount() {
    check(fc.array(spiteful, { maxLength: 4 }), (words) => {
      const read = readAmount(words);
      if (read === null) return;
      expect(read.cents).toBeGreaterThanOrEqual(0);
      expect(read.words).toBeLessThanOrEqual(words.length);
    });
    check(fc.integer({ min: 0, max: 99_999_999_999 }), (cents) =>
      expect(readAmount([formatCents(cents), 'lunch'])).toEqual({ cents, words: 1 }),
    );
  },
  readDuration() {
    check(fc.array(spiteful, { maxLength: 4 }), (words) => {
      const read = readDuration(words);
      if (read === null) return;
      expect(read.ms).toBeGreaterThan(0);
      expect(read.words).toBeLessThanOrEqual(words.length);
    });
    check(fc.integer({ min: 1, max: 60 * 24 * 300 }), (minutes) => {
      const ms = minutes * 60_000;
      const words = formatDuration(ms).split(' ');
      expect(minutes > 99_999 ? ms : readDuration(words)?.ms).toBe(ms);
    });
  },
  readEnd() {
    check(timeWords, (words) => {
      const read = readEnd(words, clock);
      if (read.kind === 'unclear') expect(read.why).toMatch(/[.?]$/);
      if (read.kind !== 'end') return;
      expect(read.words).toBeGreaterThan(0);
      expect(read.words).toBeLessThanOrEqual(words.length);
      const at = endOf(read.end, clock);
      if (at !== null) expect(at.getTime()).toBeGreaterThan(clock.now.getTime());
    });
  },
  readTerm() {
    check(timeWords, (words) => {
      const read = readTerm(words, clock);
      if (typeof read === 'string') return;
      if (read.term !== null) expect(Term.parse(read.term)).toEqual(read.term);
      // The rest is the reason, and contains no unread time words.
      if (read.term === null) {
        expect(read.rest).toEqual(words);
        expect(words.some((_, at) => isPlainlyTime(words.slice(at), clock))).toBe(false);
      }
    });
    // A readable time is read identically in any position, and the rest is the reason.
    const times = [
      'for 4h',
      '2h',
      'for two hours',
      'tonight',
      'til midnight',
      'until thursday',
      'next week',
      'tomorrow 9am',
    ];
    check(fc.constantFrom(...times), (time) => {
      const before = readTerm([...time.split(' '), 'team', 'lunch'], clock);
      expect(before).toEqual(readTerm(['team', 'lunch', ...time.split(' ')], clock));
      expect(before).toMatchObject({ rest: ['team', 'lunch'] });
    });
  },
  readDay() {
    check(timeWords, (words) => {
      const read = readDay(words, '2026-11-20');
      if (read === null) return;
      expect(new Date(`${read.date}T00:00:00Z`).toISOString()).toBe(`${read.date}T00:00:00.000Z`);
      expect(read.words).toBeLessThanOrEqual(words.length);
    });
    check(fc.integer({ min: 1, max: 7 }), (ahead) => {
      const date = addDays('2026-11-20', ahead);
      expect(readDay([weekdayNames[weekdayOf(date)] ?? ''], '2026-11-20')?.date).toBe(date);
    });
  },
  readTimeOfDay() {
    ofText((text) => expect(readTimeOfDay(text) ?? '00:00').toMatch(/^([01]\d|2[0-4]):[0-5]\d$/));
    check(fc.integer({ min: 0, max: 1439 }), (minute) => {
      const time = `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`;
      expect(readTimeOfDay(time)).toBe(time);
    });
  },
  readWeekday() {
    ofText((text) => expect(weekdayNames[readWeekday(text) ?? 0]).toBeDefined());
  },
  parsePolicy() {
    const variables = policyOfVariables({ operators: [], approvers: [], twoPersonAboveCents: 0, serviceZone: 'UTC' });
    const lines = fc.array(
      fc.oneof(
        spiteful,
        fc.constantFrom(
          'version: 1',
          'approvers: [U0ANA]',
          'amounts:',
          '  - up_to: 5',
          '    approvals: 1',
          '  - approvals: 2',
        ),
        fc.constantFrom(
          'caps: { person: { 24h: 1 } }',
          'groups:',
          '  - cards: [North]',
          'a: &a [*a, *a]',
          'b: *a',
          '? [x]',
        ),
      ),
      { maxLength: 8 },
    );
    check(
      lines.map((all) => all.join('\n')),
      (text) => {
        try {
          const { standard } = parsePolicy(text, 'policy.yaml', variables);
          expect(standard.approval.bands.at(-1)?.upToCents ?? null).toBeNull();
        } catch (error) {
          if (!(error instanceof ConfigError)) throw error;
          for (const problem of error.problems) expect(problem).toMatch(/^policy\.yaml:\d+: /);
        }
      },
    );
  },
  readTermAlone() {
    check(timeWords, (words) => {
      const read = readTermAlone(words, clock);
      if (read !== null && typeof read !== 'string') expect(Term.parse(read)).toEqual(read);
    });
  },
  parseTerm() {
    const words = timeWords.map((all) => all.join(' '));
    check(fc.oneof(spiteful, words), (text) => {
      const read = parseTerm(text, clock);
      if (read !== null && typeof read !== 'string') expect(Term.parse(read)).toEqual(read);
    });
  },
  parseCommand() {
    const words = fc.array(fc.oneof(spiteful, fc.constantFrom('limit', 'block', 'daily', '450', 'for', '4h', '4242')));
    check(
      fc.oneof(
        spiteful,
        words.map((all) => all.join(' ')),
      ),
      (text) => {
        const command = parseCommand(text, clock);
        if (command.kind === 'unclear') expect(command.why.length).toBeLessThan(300);
        if (command.kind !== 'read' || command.verb !== 'limit') return;
        for (const { to } of ChangeRequest.parse(command.input['changeRequest']).goals)
          if (to !== null) expect(Number.isSafeInteger(to) && Number(to) >= 0).toBe(true);
      },
    );
  },
  interpret: () =>
    ofText((text) => {
      const query = interpret(text);
      if (query.last4 !== null) expect(query.last4).toMatch(/^\d{4}$/);
      if (query.id !== null) expect(Number.isSafeInteger(query.id)).toBe(true);
    }),
  nameWords: () =>
    ofText((text) => {
      for (const word of nameWords(text)) expect(word).toMatch(/^[\p{L}\p{N}]+$/u);
    }),
  nameKeys: () =>
    check(fc.tuple(fc.option(spiteful), fc.option(spiteful)), ([first, last]) => {
      const keys = nameKeys(first, last);
      expect(new Set(keys).size).toBe(keys.length);
      expect(keys).not.toContain('');
    }),
  merchantCategory: () =>
    ofText((text) => {
      expect(merchantCategory(text) ?? 'none').toBeTypeOf('string');
    }),
  countryName: () =>
    ofText((text) => {
      expect(countryName(text) ?? 'none').toBeTypeOf('string');
    }),
  trackingLink: () =>
    check(fc.tuple(spiteful, spiteful), ([method, number]) => {
      const found = trackingLink(method, number);
      if (found === null) return;
      const { host, protocol } = new URL(found.url);
      expect(protocol).toBe('https:');
      expect(host).toMatch(/(^|\.)(usps|ups|fedex|dhl)\.com$/);
    }),
  declineReason: () =>
    check(fc.record({ code: spiteful, message: spiteful }), (said) => {
      expect(declineReason(said).title.length).toBeGreaterThan(0);
    }),
  maskCardNumbers: () =>
    ofText((text) => {
      const masked = maskCardNumbers(text);
      expect(maskCardNumbers(masked)).toBe(masked);
    }),
  isCardNumber: () =>
    ofText((text) => {
      expect(isCardNumber(text)).toBeTypeOf('boolean');
    }),
  lastFour: () => ofText((text) => expect(lastFour(text)).toMatch(/^\d{0,4}$/)),
  toCardStatus: () =>
    ofText((text) => expect([null, 'INACTIVE', 'ACTIVE', 'BLOCKED', 'CLOSED']).toContain(toCardStatus(text))),
  hasCurrentSigns: () => ofText((text) => expect(hasCurrentSigns(text)).toBeTypeOf('boolean')),
  isTimeZone: () => ofText((text) => expect(isTimeZone(text)).toBeTypeOf('boolean')),
  toInstant() {
    ofText((text) => {
      const instant = toInstant(text, eastern);
      if (instant !== null) expect(Number.isNaN(Date.parse(instant))).toBe(false);
    });
    // The wall clock time of an instant is read back as that instant, even in the repeated hour in autumn.
    check(
      fc.tuple(instants, fc.constantFrom(eastern, 'Europe/Berlin', 'Asia/Kolkata', 'UTC', 'Australia/Lord_Howe')),
      ([ms, zone]) => {
        const second = new Date(Math.floor(ms / 1000) * 1000);
        const read = toInstant(toWallClock(second, zone), zone, second.toISOString());
        expect(read?.slice(0, 19)).toBe(second.toISOString().slice(0, 19));
      },
      2000,
    );
  },
  toWallText: () =>
    ofText((text) => {
      expect(toWallText(text, eastern)).toBeTypeOf('string');
    }),
  readSlashText: () =>
    ofText((text) => {
      expect(readSlashText(text).length).toBeLessThanOrEqual(text.length + 1);
    }),
  readSince: () =>
    check(fc.array(spiteful, { maxLength: 3 }), (words) => {
      const since = readSince(words);
      if (since !== null) expect(Since.parse(since)).toEqual(since);
    }),
  readYaml: () =>
    ofText((text) => {
      try {
        readYaml({ text, name: 'a.yaml', schema: z.strictObject({ a: z.int().optional() }), knownKeys: [] });
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error;
        for (const problem of error.problems) expect(problem).toMatch(/^a\.yaml:\d+: /);
      }
    }),
  muteEndOf: () =>
    check(fc.array(spiteful, { maxLength: 4 }), (words) => {
      const end = muteEndOf(words, { now: new Date('2026-11-20T15:00:00.000Z'), zone: 'UTC' });
      expect('why' in end || end.endsAt.getTime() > 0).toBe(true);
    }),
  readTestedCardValue: () =>
    ofText((text) => {
      expect(readTestedCardValue(text) ?? null).not.toBe(undefined);
    }),
  instantOf: () =>
    ofText((text) => {
      orMisfit(() => instantOf('TransactionTime', text, eastern));
    }),
  readSpendRules: () =>
    check(anyJson, (raw) => {
      const rules = readSpendRules(raw);
      for (const limit of Object.values(rules?.limits ?? {})) expect(limit).not.toBeNaN();
    }),
  toSpendRulesBody: () =>
    check(anyJson, (raw) => {
      if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) return;
      const body = toSpendRulesBody({ ...raw } as Record<string, unknown>);
      expect(toSpendRulesBody(body)).toEqual(body);
    }),
  familyOf: () => check(anyJson, (data) => void orMisfit(() => familyOf(data, 'decline'))),
  redactTransaction: () => check(anyJson, (data) => void orMisfit(() => redactTransaction(data, circumstances))),
  redactShipping: () => check(anyJson, (data) => void orMisfit(() => redactShipping(data, circumstances))),
  redactCardStatus: () => check(anyJson, (data) => void orMisfit(() => redactCardStatus(data, circumstances))),
  redactVirtualCard: () => check(anyJson, (data) => void orMisfit(() => redactVirtualCard(data, circumstances))),
  toStoredEvent() {
    check(anyJson, (body) => void orMisfit(() => toStoredEvent(body, 'decline', facts)));
    check(
      bentPayload,
      ({ kind, body }) => {
        const event = orMisfit(() => toStoredEvent(body, kind, facts));
        if (event === null) return;
        // Stored events can be read again, and a repetition gives the same event.
        expect(StoredEvent.parse(JSON.parse(JSON.stringify(event)))).toEqual(event);
        expect(toStoredEvent(body, kind, facts)).toEqual(event);
      },
      2000,
    );
  },
  quarantine: () =>
    check(anyJson, (body) => {
      const kept = quarantine(body, { ...facts, path: 'decline', issues: [] });
      expect(quarantine(body, { ...facts, path: 'decline', issues: [] }).id).toBe(kept.id);
    }),
};

describe('any external input is either read or refused by', () => {
  it.each(Object.entries(properties))('%s', (_name, holds) => {
    holds();
  });
});

/** Functions that take external input, recognized by their first parameter. */
const reader =
  /^export function (\w+)\(\s*(?:text|body|data|raw|query|name|code|method|words|version|value|digits|zone)\??: (string|unknown|readonly string\[\])/gm;

/** Functions that look like readers but produce text. */
const writers: ReadonlySet<string> = new Set([
  'escapeMrkdwn',
  'plain',
  'truncate',
  'foldId',
  'link',
  'isLongEnough',
  'fitOfName',
]);

/** Further arguments for readers without a property: a time zone, a date, and an object. */
const others = [eastern, new Date(receivedAt), {}];

const arguments_: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  string: spiteful,
  unknown: anyJson,
  'readonly string[]': fc.array(spiteful, { maxLength: 5 }),
};

const found = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .flatMap((name) =>
    [...readFileSync(`src/${name}`, 'utf8').matchAll(reader)].map(([, what = '', type = '']) => ({ name, what, type })),
  )
  .filter(({ what }) => !writers.has(what));

it('finds the readers', () => {
  expect(found.map(({ what }) => what)).toEqual(expect.arrayContaining(['parseCommand', 'readDuration', 'familyOf']));
});

it.each(found.filter(({ what }) => properties[what] === undefined))(
  'a reader without a property throws only an AppError: $what of $name',
  async ({ name, what, type }) => {
    const module = (await import(`../../src/${name}`)) as Record<string, (...args: unknown[]) => unknown>;
    check(arguments_[type] ?? spiteful, (given) => {
      try {
        module[what]?.(given, ...others);
      } catch (error) {
        expect(error).toBeInstanceOf(AppError);
      }
    });
  },
);
