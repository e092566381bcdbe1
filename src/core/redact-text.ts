import { BoundedMap } from './bounded-map.ts';
import { isCardNumber, maskCardNumbers, maskIdentifier, plainText } from './card-number.ts';

const month = '(?:(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\\.?\\s?)?';
/** Names of codes, dates and numbers. Short ones count only at the start of a word. */
const codeName =
  '(?:c\\.?v\\.?v\\.?2?|cvc2?|cvd2?|card[\\s_-]?verification|verification[\\s_-]?(?:value|code|number)|security[\\s_-]?code|(?<!\\p{L})(?:csc|cvn2?|cav2?|cid))';
const pinName = '(?<!\\p{L})(?:card|encrypted)?[\\s_-]?pin';
const expiryName = '(?<!\\p{L})exp(?:iry|iration|ires)?';
const otherName = '(?:valid|good)[\\s_-]?(?:thru|through|until)|acc(?:oun)?t[\\s_-]?(?:number|no)';
const ofField = '(?:[\\s_-]?(?:code|value|number|date|block))?';
/** The name of a field, a few characters, and its value. */
const secretInText = new RegExp(
  `((?:${codeName}|${pinName}|${expiryName}|${otherName})${ofField})([^\\p{L}\\p{Nd}]{1,5}(?:is\\s|was\\s)?)${month}\\p{Nd}(?:[\\s/.-]?\\p{Nd})*`,
  'giu',
);

const gap = '\\s{1,3}';
const onBack = `(?:${gap}on${gap}(?:the${gap})?back)?`;
/** Four digits right behind a card are its last four, also in `on card: 4242`, so `is` or a colon must follow them. */
const ofCard = `(?:${gap}(?:of|for|to|on)${gap}(?:(?:the|this|my|her|his|our|their|your)${gap}card(?:${gap}\\p{Nd}{4})?|card(?:${gap}\\p{Nd}{4}|(?=${gap}(?:is|was)|\\s?[:=](?!\\s*\\p{Nd}{4}(?!\\p{Nd})))))(?=${gap}(?:is|was)[\\s:=]|\\s?[:=]))?`;
const isNow = `(?:${gap}(?:is|was)(?:${gap}(?:now|still))?)?`;
/** `my pin’s 1234`, `security code on the back: 123`, `PIN of card 4242 is 1234`: as people write it, no amount and no date. */
const inWords = (name: string, lengths: string): RegExp =>
  new RegExp(
    `(${name}${ofField})((?:['’´\`ʼ]s|${onBack}${ofCard}${isNow})[^\\p{L}\\p{Nd}$]{1,5})\\p{Nd}(?:[\\s-]?\\p{Nd})${lengths}(?![.,:/-]?\\p{Nd})`,
    'giu',
  );
const codeInWords = inWords(codeName, '{2,3}');
const pinInWords = inWords(pinName, '{3,5}');
/** `in 12/27` is no day of a month. */
const expiryInWords = new RegExp(
  `(${expiryName}${ofField})(${gap}in${gap})\\p{Nd}{1,2}\\s?/\\s?(?:\\p{Nd}{2}){1,2}(?!\\p{Nd})`,
  'giu',
);
const tokenName =
  '(?:access|refresh|auth|bearer)[\\s_-]?token|token(?=\\s?[:=]|\\s{1,5}(?:is\\s|was\\s)?(?=\\S*\\d)\\S{6})|api[\\s_-]?key|password|passphrase|pwd|secret(?=["\'\\\\\\s]{0,3}[:=])|encrypted[\\s_-]?pin(?:[\\s_-]?block)?|pin[\\s_-]?block|authorization[^\\p{L}\\d]{1,5}(?:basic|bearer|token)';
/** The value may begin with signs, as passwords do, and is never the `is` in front of it. */
const anyValue =
  '([^\\p{L}\\d]{1,5}(?:(?:is|was)[\\s:=][^\\p{L}\\d]{0,4})?)(?!(?:is|was)(?:[\\s:=]|$)|(?:leaked|stolen|shared|exposed|compromised)[,.;!?)]*(?:\\s|$))[\\p{L}\\d+/=_.-]+';
const tokenInText = new RegExp(`(${tokenName})${anyValue}`, 'giu');
/** `PW` may be somebody's initials. */
const passwordInText = new RegExp(
  `((?<!\\p{L})[Pp]w(?=\\s?[:=]|\\s{1,5}(?:is|was)[\\s:=]\\s?(?=\\S*\\d)))${anyValue}`,
  'gu',
);
const ibanInText = /(iban[^\p{L}\d]{1,5})[a-z]{2}\d\d(?:\s?(?=[a-z]{0,3}\d)[\da-z]{1,4})*/giu;
const bearerInText = /(bearer\s)[\w+/=.-]{8,}/giu;
const basicInText = /(basic\s{1,5})([\w+/-]{8,}={0,2})/giu;
/** A bank account, routing or social security number. Account ids are shorter. */
const accountInText = /((?:account|acct|routing)[^\p{L}\d]{1,5})\d{8,17}(?!\d)/giu;
const personInText = /(?<![\d-])\d{3}-\d{2}-\d{4}(?![\d-])/g;
const bareIban = /(?<![a-z\d])[a-z]{2}\d{2}(?:\s?[a-z\d]){11,30}(?![a-z\d])/giu;
/** The data after the number on a card's stripe. */
const stripeInText = /(\[card ••\d{4}\](?:=|\^[^^]{2,26}\^))\d{4,}/g;
/** Digits as hexadecimal bytes. */
const hexDigits = /(?<![\da-f])(?:3\d){13,19}(?![\da-f])/gi;
/** What all of these have in common. Most names and places have none of it, and need no further search. */
const mayHoldSecret = /\p{N}|token|key|pass|pwd?|secret|pin|bearer|basic\s|authorization|[\w+/-]{18}|\p{Cf}/iu;
const encodedInText = /[\w+/-]{18,}={0,2}/g;

const slackTokens = 'xox[abeprs]-[\\w-]+|xapp-[\\w-]+';
const own = new Set<string>();
let bareSecrets = patternOf([]);
let bareSecretsInJson = bareSecrets;
/** A very short secret, or one of a few digits or letters only, could be a word of a harmless text. */
const mayBeWord = /^(?:.{0,7}|[\d-]{0,11}|[A-Za-z][a-z]{0,18})$/su;

/** Makes secrets of this process known, so that they are removed when somebody quotes them, also in JSON. */
export function hideSecrets(secrets: readonly string[]): void {
  for (const secret of secrets) if (!mayBeWord.test(secret)) own.add(secret);
  const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);
  const written = [...own].flatMap((secret) => [secret, inJson(secret)]);
  bareSecrets = patternOf(written);
  // A number stays a number.
  bareSecretsInJson = patternOf(written.map(inJson).filter((text) => !/^[-+.\de]+$/i.test(text)));
  harmless.clear();
}

function patternOf(secrets: readonly string[]): RegExp {
  const longestFirst = secrets.toSorted((one, other) => other.length - one.length);
  const literal = longestFirst.map((secret) => secret.replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&'));
  return new RegExp([...literal, slackTokens].join('|'), 'g');
}

/** Removes Slack's tokens and the secrets of this process. */
export function withoutBareSecrets(text: string): string {
  return text.replace(bareSecrets, '[removed]');
}

/** Does the same in a line of JSON, which stays valid. */
export function withoutBareSecretsInJson(line: string): string {
  return line.replace(bareSecretsInJson, '[removed]');
}

/**
 * Makes foreign text safe for people: masks card numbers, also encoded ones, and removes security codes, account
 * numbers and tokens. Sees through invisible characters and other forms of letters and digits, and drops them when something is
 * removed.
 */
export function redactText(text: string): string {
  if (harmless.has(text)) return text;
  if (mayHoldSecret.test(text) || text.search(bareSecrets) !== -1) {
    const seen = text.replaceAll(/\p{Cf}/gu, '');
    const redacted = withoutSecrets(seen);
    const plain = plainText(redacted);
    const redactedPlain = plain === redacted ? plain : withoutSecrets(plain);
    if (redactedPlain !== plain) return redactedPlain;
    if (redacted !== seen) return redacted;
  }
  if (text.length <= NAME_LENGTH_MAX) harmless.set(text, true);
  return text;
}

/**
 * Searched texts without a secret, such as the names and places of merchants, which come again. Nothing from which something
 * was removed is kept.
 */
const harmless = new BoundedMap<string, true>(4096);
const NAME_LENGTH_MAX = 100;

/**
 * Masks an identifier that could be a card number. One with words in it, or as long as an encoded number, is redacted as
 * text.
 */
export function redactIdentifier(identifier: string): string {
  const masked = maskIdentifier(identifier);
  return /\p{L}/u.test(masked) && /[\s:=]|.{18}/.test(masked) ? redactText(masked) : masked;
}

/**
 * Masks an id that a company's own people chose, which may look like a card number. `PIN-0042` and `CID 1001` are such ids;
 * only a secret behind `:` or `=` is removed from one.
 */
export function redactOwnId(id: string): string {
  return /[:=]/.test(id) ? redactText(id) : maskCardNumbers(id).replace(encodedInText, unlessNumber);
}

function withoutSecrets(text: string): string {
  return maskCardNumbers(withoutBareSecrets(text))
    .replace(secretInText, '$1$2[removed]')
    .replace(codeInWords, '$1$2[removed]')
    .replace(pinInWords, '$1$2[removed]')
    .replace(expiryInWords, '$1$2[removed]')
    .replace(tokenInText, '$1$2[removed]')
    .replace(passwordInText, '$1$2[removed]')
    .replace(bearerInText, '$1[removed]')
    .replace(basicInText, (all: string, lead: string, encoded: string) =>
      /^[ -~]*:[ -~]*$/.test(Buffer.from(encoded, 'base64').toString('latin1')) ? `${lead}[removed]` : all,
    )
    .replace(ibanInText, '$1[removed]')
    .replace(bareIban, (text) => (isIban(text) ? '[removed]' : text))
    .replace(accountInText, '$1[removed]')
    .replace(personInText, '[removed]')
    .replace(stripeInText, '$1[removed]')
    .replace(hexDigits, (text) => (isCardNumber(text.replaceAll(/3(\d)/g, '$1')) ? '[removed]' : text))
    .replace(encodedInText, unlessNumber);
}

/** A path in front of an encoded number consists of the same letters, so it may begin anywhere. */
function unlessNumber(encoded: string): string {
  const isNumber = [0, 1, 2, 3].some((offset) => {
    const decoded = Buffer.from(encoded.slice(offset), 'base64').toString('latin1');
    return maskCardNumbers(decoded) !== decoded;
  });
  return isNumber ? '[removed]' : encoded;
}

function isIban(text: string): boolean {
  const plain = text.replaceAll(/\s/g, '').toUpperCase();
  const moved = `${plain.slice(4)}${plain.slice(0, 4)}`;
  const digits = moved.replaceAll(/[A-Z]/g, (letter) => String(letter.charCodeAt(0) - 55));
  return plain.length >= 15 && plain.length <= 34 && BigInt(digits) % 97n === 1n;
}
