import './unexpected-error.ts';
import { isRefused } from '../src/core/redis-refused.ts';
import { countOf } from '../templates/core/blocks.ts';
import { fileArgument } from './arguments.ts';
import { STANDARD_STREAM, takeBackup } from './backup/backup.ts';
import { measuredClock } from './measured-clock.ts';
import { commandConfig, reachRedis } from './reach-redis.ts';

const usage = `Writes everything that Cardbell has in Redis to a file, while it runs.

  cardbell backup FILE              for instance cardbell-$(date +%F).backup; the file must not exist
  cardbell backup -                 on standard output
  npm run backup -- FILE            the same, with the variables of .env

The file says who bought what and where: encrypt it. docs/backup.md says what a restore repeats, and what it never does.
Reads REDIS_URL. Exit code: 0 when the file is complete, 1 when it could not be written or Redis has no data of Cardbell, 64 for a wrong command line,
69 when Redis does not answer, 78 for a variable that is bad.
`;

const file = fileArgument({ name: 'backup', usage });
const redis = await reachRedis('backup', commandConfig());
try {
  const keys = await takeBackup(redis, file, await measuredClock(redis));
  const { stdout, stderr } = process;
  (file === STANDARD_STREAM ? stderr : stdout).write(`${file}: ${countOf(keys, 'key')}.\n`);
} catch (error) {
  if (isRefused(error)) throw error;
  process.stderr.write(`The backup was not written: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
} finally {
  redis.disconnect();
}
