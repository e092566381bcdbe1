import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createAlertPacking } from '../../../src/alerts/packed-alert.ts';
import { UnreadableError } from '../../../src/core/errors.ts';
import { change, shippingAlert, statusAlert, transactionAlert, virtualAlert } from '../../templates/fixtures.ts';

const createPacking = () => createAlertPacking((text) => text);
/** Reads like another process, which has not packed the text itself. */
const read = (packed: Buffer): string => createPacking().unpack(packed);

describe('the packed text of an alert', () => {
  it('reads back unchanged in another process, whatever the text', () => {
    const { pack } = createPacking();

    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(read(pack(text, text))).toBe(text);
      }),
    );
  });

  it.each([
    [transactionAlert(), 4],
    [statusAlert([change()]), 4],
    [virtualAlert(), 3],
    [shippingAlert(), 2.9],
  ])('of $kind is shorter than the text: the dictionary has the shape that alerts have', (alert, times) => {
    const text = JSON.stringify(alert);

    expect(text.length / createPacking().pack(text, text).length).toBeGreaterThan(times);
  });

  it('ignores bytes that a longer text left behind it', () => {
    const { pack } = createPacking();

    expect(read(Buffer.concat([pack('short', 'short'), Buffer.from('left over')]))).toBe('short');
  });

  it('is not read again by the process that packed it, and only once by another', () => {
    let reads = 0;
    const createCounting = () =>
      createAlertPacking((text) => {
        reads += 1;
        return { text };
      });
    const writer = createCounting();
    const value = { text: 'an alert' };
    const packed = writer.pack('an alert', value);

    expect(writer.unpack(packed)).toBe(value);
    expect(reads).toBe(0);
    const reader = createCounting();
    expect(reader.unpack(packed)).toEqual(value);
    expect(reader.unpack(packed)).toBe(reader.unpack(packed));
    expect(reads).toBe(1);
  });

  it.each([
    ['packed with another dictionary', Buffer.from([9, 0, 0, 1, 3])],
    ['damaged', Buffer.from([2, 0, 0, 3, 0xff, 0xff, 0xff])],
    ['cut off', Buffer.from([2, 0])],
  ])('cannot be read when it is %s, and says so', (_what, packed) => {
    expect(() => read(packed)).toThrow(UnreadableError);
  });

  it.each([
    [Buffer.from([9, 0, 0, 1, 3]), 'packed with dictionary 9'],
    [Buffer.from([9]), 'packed with dictionary 9'],
    [Buffer.from([2, 0, 0, 3, 0xff, 0xff, 0xff]), 'damaged'],
    [Buffer.from([]), 'cut off at byte 0'],
    [Buffer.from([2, 0, 0]), 'cut off at byte 3'],
    [createPacking().pack('an alert', 'an alert').subarray(0, 6), 'cut off at byte 6'],
  ])('says what is wrong with %j: %s', (packed, why) => {
    expect(() => read(packed)).toThrow(`an alert: ${why}`);
  });
});
