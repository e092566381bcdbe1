import { EX_CONFIG } from '../src/app/config.ts';
import { EX_UNAVAILABLE } from '../src/app/run-process.ts';
import { errorLine } from '../src/core/log.ts';
import { isRefused } from '../src/core/redis-refused.ts';
import { storeTrouble } from './store-trouble.ts';

// Node would print the error with everything that a library attached to it: the arguments of a Redis command, a request.
process.on('uncaughtException', (error: NodeJS.ErrnoException) => {
  if (isRefused(error)) {
    process.stderr.write(
      "Redis refuses this user or password. Use the worker's REDIS_URL (docs/install/README.md) and run it again.\n",
    );
    process.exit(EX_CONFIG);
  }
  const trouble = storeTrouble(error);
  if (trouble !== null) {
    process.stderr.write(`${trouble} What was done before stays done. Run this again when that is corrected.\n`);
    process.exit(EX_UNAVAILABLE);
  }
  // Whoever read the output has seen enough, for instance `head`.
  if (error.code !== 'EPIPE') process.stderr.write(`Unexpected error: ${errorLine(error)}\n`);
  process.exit(1);
});
