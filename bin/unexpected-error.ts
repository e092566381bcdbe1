import { EX_CONFIG } from '../src/app/config.ts';
import { errorLine } from '../src/core/log.ts';
import { isRefused } from '../src/core/redis-refused.ts';

// Node would print the error with everything that a library attached to it: the arguments of a Redis command, a request.
process.on('uncaughtException', (error: NodeJS.ErrnoException) => {
  if (isRefused(error)) {
    process.stderr.write(
      "Redis refuses this user or password. Use the worker's REDIS_URL (docs/install/README.md) and run it again.\n",
    );
    process.exit(EX_CONFIG);
  }
  // Whoever read the output has seen enough, for instance `head`.
  if (error.code !== 'EPIPE') process.stderr.write(`Unexpected error: ${errorLine(error)}\n`);
  process.exit(1);
});
