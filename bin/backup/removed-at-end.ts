import { rmSync } from 'node:fs';

/** Removes a file if the process ends or is interrupted, until the result is called. */
export function removedAtEnd(file: string): () => void {
  const remove = (): void => rmSync(file, { force: true });
  const interrupted = (signal: NodeJS.Signals): void => {
    remove();
    stop();
    // Without a listener it ends the process, as it would have.
    process.kill(process.pid, signal);
  };
  function stop(): void {
    process.off('exit', remove);
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, interrupted);
  }
  process.on('exit', remove);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, interrupted);
  return stop;
}
