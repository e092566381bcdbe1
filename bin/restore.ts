import './unexpected-error.ts';
import { EX_CONFIG } from '../src/app/config.ts';
import { ConfigError } from '../src/core/errors.ts';
import { countOf } from '../templates/core/blocks.ts';
import { fileArgument } from './arguments.ts';
import { BackupError, restoreBackup } from './backup/backup.ts';
import { measuredClock } from './measured-clock.ts';
import { commandConfig, reachRedis } from './reach-redis.ts';

/** Said before and afterwards. */
const leftOut = 'Open requests, claims, unfinished actions and delegates that approvers named are left out';

const usage = `Restores a backup into a Redis without any data of Cardbell. Stop web and worker first; start them afterwards.

  cardbell restore FILE             - for standard input
  npm run restore -- FILE           the same, with the variables of .env

${leftOut}:
they may have been decided, carried out or dismissed after the backup. No card is changed twice. docs/backup.md says what
is repeated. Reads REDIS_URL.
Exit code: 0 when all is restored, 1 when the file or Redis cannot be used (nothing was changed) or Redis is too small (a part
is there: empty it before you try again), 64 for a wrong command line, 69 when Redis does not answer, 78 for a variable that is bad, or a backup that this version cannot read.
`;

const file = fileArgument({ name: 'restore', usage });
const redis = await reachRedis('restore', commandConfig(), {
  ifLost: 'If the restore had begun, a part of the backup is there: empty Redis before you try again.',
});
try {
  const { takenAt, keys } = await restoreBackup(redis, file, await measuredClock(redis));
  process.stdout.write(`Restored ${countOf(keys, 'key')} as of ${takenAt}. ${leftOut}.\n`);
  process.stdout.write('Start web and worker now. What happened since then is fetched, and posted as late.\n');
} catch (error) {
  if (!(error instanceof BackupError || error instanceof ConfigError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = error instanceof ConfigError ? EX_CONFIG : 1;
} finally {
  redis.disconnect();
}
