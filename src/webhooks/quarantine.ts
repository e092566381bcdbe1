import type { Cluster, Redis } from 'ioredis';
import { maskCardNumbers } from '../core/card-number.ts';
import { QuarantinedWebhook } from '../core/event.ts';
import { stateKey } from '../core/keys.ts';
import { eventId } from './payload.ts';

/** Names of secrets, which are removed at any depth and in any spelling. */
const secretNames =
  /cvv|cvc|securitycode|accountnumber|^(cid|expirationdate|expirydate|pin|pincode|pinblock|track[12]?(data)?)$/i;
const cardNumberNames = /^(card|primaryaccount|virtualcard)(number|no)$|^pan$/i;
/** Identifiers by contract: a tracking number may look like a card number without being one. */
const identifierNames =
  /^(trackingnumber|networktransactionid|transactionid|authtransactionid|referencedtranid|merchantid)$/i;

/**
 * Redacts a body whose shape is unknown, and wraps it for quarantine.
 *
 * The allow list of the events does not help here. Instead, secrets are removed by their name, card numbers keep their
 * last four digits, and 13 to 19 digits that pass Luhn are masked wherever they are, in keys and values.
 */
export function quarantine(
  body: unknown,
  facts: { path: string; issues: readonly string[]; version: string | undefined; receivedAt: string },
): QuarantinedWebhook {
  const redacted = redact(body, 0);
  return QuarantinedWebhook.parse({
    id: eventId(['quarantine', facts.path, JSON.stringify(redacted)]),
    path: facts.path,
    issues: facts.issues.map(maskCardNumbers),
    body: redacted,
    version: facts.version === undefined ? null : maskCardNumbers(facts.version).slice(0, 50),
    receivedAt: facts.receivedAt,
  });
}

/** The service's JSON is two levels deep. Deeper nesting is an attack on the stack. */
const MAX_DEPTH = 32;

function redact(value: unknown, depth: number): unknown {
  if (depth > MAX_DEPTH) return '[too deep]';
  if (typeof value === 'string') return redactText(value);
  if (typeof value === 'number') return redactNumber(value);
  if (Array.isArray(value)) return value.map((item) => redact(item, depth + 1));
  if (value === null || typeof value !== 'object') return value;
  // fromEntries defines properties instead of assigning them: a key "__proto__" stays a plain key.
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !secretNames.test(nameOf(key)))
      .map(([key, item]) => [redactText(key), redactField(nameOf(key), item, depth)]),
  );
}

function nameOf(key: string): string {
  return key.replace(/[\s_-]/g, '');
}

function redactField(name: string, item: unknown, depth: number): unknown {
  if (cardNumberNames.test(name)) return lastFourOf(item);
  const isIdentifier = identifierNames.test(name) && (typeof item === 'string' || typeof item === 'number');
  return isIdentifier ? item : redact(item, depth + 1);
}

/** A number above 2^53 has lost its last digits, and so the check digit by which it would be recognized. */
function redactNumber(value: number): number | string {
  if (Math.abs(value) > Number.MAX_SAFE_INTEGER) return '[large number]';
  const text = String(value);
  const masked = maskCardNumbers(text);
  return masked === text ? value : masked;
}

function lastFourOf(value: unknown): string | null {
  if (typeof value !== 'string' && typeof value !== 'number') return null;
  return `••${String(value).replace(/\D/g, '').slice(-4)}`;
}

/** A secret inside a text, such as JSON that was encoded twice: a name, a few characters, digits. */
const secretInText =
  /(cvv2?|cvc2?|security[\s_-]?code|account[\s_-]?number)([^\p{L}\d]{1,5}(?:is\s|was\s)?)\d(?:[\s-]?\d)*/giu;

/** Makes foreign text fit for people: masks card numbers, removes security codes and account numbers. */
export function redactText(text: string): string {
  return maskCardNumbers(text).replace(secretInText, '$1$2[removed]');
}

const KEPT_SECONDS = 30 * 24 * 3600;

interface QuarantineStore {
  keep(webhook: QuarantinedWebhook): Promise<void>;
  /** Newest first. */
  list(limit: number): Promise<QuarantinedWebhook[]>;
  count(): Promise<number>;
  get(id: string): Promise<QuarantinedWebhook | null>;
  remove(id: string): Promise<boolean>;
}

/** Webhooks that did not fit, redacted, until somebody replays or discards them or 30 days are over. */
export function createQuarantineStore(redis: Redis | Cluster): QuarantineStore {
  const index = stateKey('quarantine');
  const keyOf = (id: string): string => stateKey(`quarantine:${id}`);
  const read = async (id: string): Promise<QuarantinedWebhook | null> => {
    const text = await redis.get(keyOf(id));
    return text === null ? null : QuarantinedWebhook.parse(JSON.parse(text));
  };

  return {
    async keep(webhook) {
      await redis
        .multi()
        .set(keyOf(webhook.id), JSON.stringify(webhook), 'EX', KEPT_SECONDS)
        .zadd(index, String(Date.parse(webhook.receivedAt)), webhook.id)
        .zremrangebyscore(index, '-inf', String(Date.now() - KEPT_SECONDS * 1000))
        .exec();
    },
    async list(limit) {
      const ids = await redis.zrevrange(index, 0, limit - 1);
      const found = await Promise.all(ids.map(read));
      return found.filter((webhook) => webhook !== null);
    },
    count: () => redis.zcount(index, String(Date.now() - KEPT_SECONDS * 1000), '+inf'),
    get: read,
    async remove(id) {
      const [, [, removed] = [null, 0]] = (await redis.multi().del(keyOf(id)).zrem(index, id).exec()) ?? [];
      return removed === 1;
    },
  };
}
