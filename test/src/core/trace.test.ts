import { afterEach, expect, it } from 'vitest';
import { currentTrace, queueTelemetry, span, useTracer } from '../../../src/core/trace.ts';

const off: Parameters<typeof useTracer>[0] = {
  span: (_name, _options, work) => work(),
  current: () => undefined,
  queues: undefined,
};
afterEach(() => useTracer(off));

it('runs the work without a tracer, and carries no trace', async () => {
  expect(await span('work', { kind: 'client' }, async () => 7)).toBe(7);
  expect(currentTrace()).toBeUndefined();
  expect(queueTelemetry()).toEqual({});
});

it('passes each piece of work to the tracer', async () => {
  const seen: string[] = [];
  useTracer({
    ...off,
    current: () => '00-1-2-01',
    span: async (name, { parent }, work) => {
      seen.push(`${name} of ${parent}`);
      return await work();
    },
  });

  expect(await span('work', { kind: 'client', parent: '00-1-0-01' }, async () => 7)).toBe(7);

  expect(seen).toEqual(['work of 00-1-0-01']);
  expect(currentTrace()).toBe('00-1-2-01');
});
