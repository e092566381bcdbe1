import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { RedisClient } from './redis.ts';

/** The text of a `.lua` file with everything it includes, and the keys it declares. */
export interface ScriptSource {
  /** Folder and file, `core/renew-lock`: unique in the process. */
  readonly name: string;
  readonly lua: string;
  /** What each of its `KEYS` holds. */
  readonly keys: readonly string[];
  /** True when the last key may be repeated any number of times. */
  readonly takesMoreKeys: boolean;
}

type Arg = string | number | Buffer;

const includeLine = /^--- @include "([^"]+)"$/gm;
const keysLine = /^--- @keys (.+)$/m;

/**
 * Reads a script from the `.lua` file next to a module: `readScript(new URL('./renew-lock.lua', import.meta.url))`.
 * Call it when the module loads, so that a missing file stops the process at startup.
 *
 * The file declares its keys in a separate line, `--- @keys queue, entries`, because Redis Cluster routes a script by
 * its keys; `--- @keys inbox, seen...` takes any number of the last one. A line `--- @include "../core/now"` is
 * replaced by that file, with a path relative to the including file. A file is included once, at its first mention.
 *
 * @throws Error when a file is missing or the keys are not declared.
 */
export function readScript(file: URL): ScriptSource {
  const name = file.pathname
    .split('/')
    .slice(-2)
    .join('/')
    .replace(/\.lua$/, '');
  const lua = readWithIncludes(file, new Set());
  const declared = keysLine.exec(lua)?.[1];
  if (declared === undefined) throw new Error(`${name}.lua does not declare its keys`);
  const keys = declared.split(',').map((key) => key.trim());
  return {
    name,
    lua,
    keys: keys.map((key) => key.replace(/\.{3}$/, '')),
    takesMoreKeys: keys.at(-1)?.endsWith('...') === true,
  };
}

function readWithIncludes(file: URL, included: Set<string>): string {
  if (included.has(file.href)) return '';
  included.add(file.href);
  return readFileSync(file, 'utf8').replaceAll(includeLine, (_line, path: string) =>
    readWithIncludes(new URL(`${path}.lua`, file), included),
  );
}

/**
 * Makes a script callable through a client: it is sent once per connection and called by its digest afterwards.
 *
 * ioredis sends the text again if a server does not know it (restart, failover, a new node).
 */
export function defineScript(redis: RedisClient, source: ScriptSource) {
  const { name, lua, keys: declared, takesMoreKeys } = source;
  redis.defineCommand(name, { lua });
  const command: (this: unknown, ...args: Arg[]) => Promise<unknown> = Reflect.get(redis, name);
  return {
    async run(keys: readonly string[], args: readonly Arg[]): Promise<unknown> {
      const fits = takesMoreKeys ? keys.length >= declared.length - 1 : keys.length === declared.length;
      if (!fits) throw new Error(`${name}.lua takes the keys ${declared.join(', ')}, but was given ${keys.length}`);
      return command.call(redis, keys.length, ...keys, ...args);
    },
  };
}

/**
 * Makes a read-only script callable, also for a Redis user who may not write these keys. ioredis does not support
 * these, so this sends the text again when a server does not know it.
 *
 * @returns a function that runs it; each string in the answer is a buffer.
 */
export function defineReadingScript(redis: RedisClient, { lua }: ScriptSource) {
  const digest = createHash('sha1').update(lua).digest('hex');
  return async (keys: readonly string[], args: readonly Arg[]): Promise<unknown> => {
    try {
      return await redis.callBuffer('evalsha_ro', digest, keys.length, ...keys, ...args);
    } catch (error) {
      if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
      return await redis.callBuffer('eval_ro', lua, keys.length, ...keys, ...args);
    }
  };
}
