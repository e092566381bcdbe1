import { execFile } from 'node:child_process';

interface Ended {
  readonly code: number | string | null | undefined;
  readonly out: string;
  readonly err: string;
}

/** Runs a command of `dist/bin` like people do, with only the given environment. */
export async function runCommand(
  name: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Ended> {
  return await new Promise((resolve) => {
    const given = { PATH: process.env['PATH'], ...env };
    execFile(process.execPath, [`dist/bin/${name}.js`, ...args], { env: given }, (error, out, err) =>
      resolve({ code: error === null ? 0 : error.code, out, err }),
    );
  });
}
