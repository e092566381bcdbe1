import { execFileSync } from 'node:child_process';
import { findOrInstall } from '../../local/system-package.ts';

/** Runs once before all tests: installs the required programs, and makes the build that the flow tests start. */
export function setup(): void {
  findOrInstall(['redis-server', 'valkey-server'], 'redis-server');
  findOrInstall(['chromium', 'chromium-browser', 'google-chrome'], 'chromium');
  execFileSync('npm', ['run', '--silent', 'build'], { stdio: 'inherit' });
}
