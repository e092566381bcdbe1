import { errorLine } from '../src/core/log.ts';

// Node would print the error with everything that a library attached to it: the arguments of a Redis command, a request.
process.on('uncaughtException', (error: NodeJS.ErrnoException) => {
  // Whoever read the output has seen enough, for instance `head`.
  if (error.code !== 'EPIPE') process.stderr.write(`Unexpected error: ${errorLine(error)}\n`);
  process.exit(1);
});
