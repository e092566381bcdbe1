import { maskCardNumbers } from '../core/card-number.ts';
import { QuarantinedWebhook } from '../core/quarantined-webhook.ts';
import { eventId } from './event-id.ts';
import { redactText } from './redact-text.ts';

/** Gone whatever they hold, at any depth and in any spelling. */
const secretNames =
  /cvv|cvc|securitycode|accountnumber|^(cid|expirationdate|expirydate|pin|pincode|pinblock|track[12]?(data)?)$/i;
const cardNumberNames = /^(card|primaryaccount|virtualcard)(number|no)$|^pan$/i;
/** Identifiers by contract: a tracking number may look like a card number and is none. */
const identifierNames =
  /^(trackingnumber|networktransactionid|transactionid|authtransactionid|referencedtranid|merchantid)$/i;

/**
 * Redacts a body whose shape is unknown, and wraps it for quarantine.
 *
 * The allow list of the events cannot serve here, so this works by name and by look: secrets are dropped by name,
 * card numbers keep their last four digits, and any 13 to 19 digits that pass Luhn are masked, in keys and values.
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

/** JSON of the service is two levels deep; deeper nesting is somebody's attack on the stack. */
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

/** A number beyond 2^53 has lost its last digits, and with them the check digit that would give it away. */
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
