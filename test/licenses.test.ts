import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

/** Licenses that only require attribution, which the packages in the image include. */
const allowed =
  /^\(?(MIT|MIT-0|ISC|Apache-2\.0|BSD-2-Clause|BSD-3-Clause|0BSD|BlueOak-1\.0\.0|CC0-1\.0|Unlicense|Python-2\.0)\b/;

interface Package {
  readonly license?: string;
  readonly dev?: boolean;
  readonly link?: boolean;
}

it('every production dependency has a license that allows others to use Cardbell', () => {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as { packages: Record<string, Package> };
  const own = Object.entries(packages).filter(([path, { dev, link }]) => path !== '' && dev !== true && link !== true);

  expect(own.length).toBeGreaterThan(50);
  expect(
    own.filter(([, { license = '' }]) => !allowed.test(license)).map(([path, { license }]) => [path, license]),
  ).toEqual([]);
});
