import { execFileSync } from 'node:child_process';
import { findOrInstall } from '../../local/system-package.ts';

/** Once before all tests: what this machine needs to run them, and the build that the flow tests start. */
export function setup(): void {
  findOrInstall(['redis-server', 'valkey-server'], 'redis-server');
  findOrInstall(['chromium', 'chromium-browser', 'google-chrome'], 'chromium');
  execFileSync('npm', ['run', '--silent', 'build'], { stdio: 'inherit' });
}
