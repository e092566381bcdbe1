import { readFileSync } from 'node:fs';

/** Variables whose value is a secret. Each may be given as `NAME_FILE`: the path of a file that holds it. */
export const secretNames = [
  'REDIS_URL',
  'REDIS_SENTINEL_PASSWORD',
  'SLACK_BOT_TOKEN',
  'SLACK_SIGNING_SECRET',
  'SLACK_APP_TOKEN',
  'WEBHOOK_SHARED_SECRET',
  'CARD_API_TOKEN',
] as const;

/**
 * The given variables, with what stands in secret files under the names of the variables.
 *
 * @param wanted the variables that are read; files of others are left alone.
 * @param problems gets what is wrong: a file that cannot be read or is empty, or a variable given in both ways.
 */
export function withSecretFiles(
  given: Readonly<Record<string, string>>,
  wanted: readonly string[],
  problems: string[],
): Record<string, string> {
  const all: Record<string, string> = { ...given };
  for (const name of secretNames.filter((secret) => wanted.includes(secret))) {
    const path = given[`${name}_FILE`];
    if (path === undefined) continue;
    if (given[name] !== undefined) {
      problems.push(`${name}_FILE: expected either ${name} or ${name}_FILE, not both`);
      continue;
    }
    const text = readText(path);
    if (text === null || text === '') problems.push(`${name}_FILE: expected a readable file that holds the secret`);
    else all[name] = text;
  }
  return all;
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return null;
  }
}
