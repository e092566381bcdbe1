/**
 * Loaded before Cardbell into each process that obeys orders (`node --import`). Moves the wall clock, and kills or freezes
 * the process at the moment it writes certain bytes to a socket: "the alert is saved", "Slack is called".
 *
 * The orders are in a file, which is read again on SIGUSR2.
 */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { Socket } from 'node:net';

const RealDate = Date;
let offsetMs = 0;
let kill = null;
let freeze = null;

function readOrders() {
  try {
    const orders = JSON.parse(readFileSync(process.env.TEST_ORDERS, 'utf8'));
    offsetMs = orders.clockOffsetMs ?? 0;
    kill =
      orders.killAt === undefined
        ? null
        : { pattern: new RegExp(orders.killAt.pattern, 'i'), when: orders.killAt.when };
    freeze =
      orders.freezeAt === undefined
        ? null
        : { pattern: new RegExp(orders.freezeAt.pattern, 'i'), seconds: orders.freezeAt.seconds };
  } catch {
    // The file is just being written. The signal that follows triggers another read.
  }
}
readOrders();
process.on('SIGUSR2', readOrders);

const now = () => RealDate.now() + offsetMs;
globalThis.Date = new Proxy(RealDate, {
  construct: (target, args, newTarget) => Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
  apply: () => new RealDate(now()).toString(),
  get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
});

const die = () => process.kill(process.pid, 'SIGKILL');
const text = (data) => (typeof data === 'string' ? data : Buffer.from(data).toString('latin1'));
const write = Socket.prototype._writeGeneric;
/** Freezes the process. A separate process wakes it up. */
function standStill({ seconds }) {
  freeze = null;
  const { NODE_OPTIONS: _, ...env } = process.env;
  const waker = spawn('sh', ['-c', `sleep ${seconds}; kill -CONT ${process.pid}`], { env, stdio: 'ignore' });
  waker.unref();
  waker.once('spawn', () => process.kill(process.pid, 'SIGSTOP'));
}
Socket.prototype._writeGeneric = function writeOrDie(isMany, data, encoding, done) {
  if (kill === null && freeze === null) return write.call(this, isMany, data, encoding, done);
  const all = isMany ? data.map((one) => text(one.chunk)).join('') : text(data);
  if (freeze?.pattern.test(all)) standStill(freeze);
  if (kill === null) return write.call(this, isMany, data, encoding, done);
  if (!kill.pattern.test(all)) return write.call(this, isMany, data, encoding, done);
  if (kill.when === 'before') die();
  const answer = write.call(this, isMany, data, encoding, done);
  die();
  return answer;
};
