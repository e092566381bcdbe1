import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { ListenError, listenError } from '../../../src/core/listen-error.ts';

const settings = { host: 'HOST', port: 'PORT' };

async function failureAt(host: string, port: number): Promise<unknown> {
  return await new Promise((resolve) => {
    const server = createServer();
    server.once('error', resolve);
    server.listen(port, host, () => server.close(() => resolve(null)));
  });
}

describe('the error of a server that cannot listen', () => {
  it('names a taken port and the setting that changes it', async () => {
    const first = createServer();
    await new Promise<void>((resolve) => first.listen(0, '127.0.0.1', resolve));
    const address = first.address();
    const port = address !== null && typeof address === 'object' ? address.port : 0;

    const error = listenError(await failureAt('127.0.0.1', port), { host: '127.0.0.1', port }, settings);

    expect(error).toBeInstanceOf(ListenError);
    expect(error).toMatchObject({
      message: `Cannot listen: port ${port} of 127.0.0.1 is taken. Stop what listens there, or set PORT to another port.`,
    });
    await new Promise((resolve) => first.close(resolve));
  });

  it.each(['192.0.2.1', 'no-such-host.invalid'])(
    'names the setting of the address %s, and not its value',
    async (host) => {
      const at = { host, port: 0 };

      expect(listenError(await failureAt(at.host, at.port), at, settings)).toMatchObject({
        code: 'config',
        problems: ['HOST: expected an address or a name of this machine, such as 0.0.0.0 or 127.0.0.1'],
      });
    },
  );

  it('names a privileged port and its setting', () => {
    const refused = Object.assign(new Error('listen EACCES'), { code: 'EACCES' });

    expect(listenError(refused, { host: '0.0.0.0', port: 80 }, { port: '--port' })).toMatchObject({
      message: 'Cannot listen: this user may not listen on port 80 of 0.0.0.0. Set --port to a port above 1023.',
    });
  });

  it('is any other error unchanged', () => {
    const other = new Error('something else');

    expect(listenError(other, { host: '0.0.0.0', port: 80 }, settings)).toBe(other);
  });
});
