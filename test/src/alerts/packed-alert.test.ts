import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createAlertPacking } from '../../../src/alerts/packed-alert.ts';
import { UnreadableError } from '../../../src/core/errors.ts';
import { transactionAlert } from '../../templates/fixtures.ts';

/** What another process reads, which did not pack the text. */
const read = (pieces: Readonly<Record<string, Buffer>>): string => createPacking().unpack(joined(pieces));
const joined = (pieces: Readonly<Record<string, Buffer>>): Buffer => Buffer.concat(Object.values(pieces));
const createPacking = () => createAlertPacking((text) => text);

describe('the text of an alert in a hash', () => {
  it('is read unchanged by another process, whatever its content', () => {
    const { pack } = createPacking();

    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(read(pack(text))).toBe(text);
      }),
    );
  });

  it('takes at most a third of its length, in pieces of at most 64 bytes', () => {
    const text = JSON.stringify(transactionAlert());

    const pieces = Object.values(createPacking().pack(text));

    expect(pieces.reduce((sum, piece) => sum + piece.length, 0)).toBeLessThan(text.length / 3);
    expect(Math.max(...pieces.map((piece) => piece.length))).toBe(64);
  });

  it('is the later text if a longer one was stored before', () => {
    const { pack } = createPacking();
    const long = Array.from({ length: 100 }, (_, index) => Math.sin(index)).join();

    expect(read({ ...pack(long), ...pack('short') })).toBe('short');
  });

  it('is parsed once, however often it is read', () => {
    let reads = 0;
    const { pack, unpack } = createAlertPacking((text) => {
      reads += 1;
      return { text };
    });
    const packed = joined(pack('an alert'));

    expect(unpack(packed)).toBe(unpack(packed));
    expect(unpack(joined(createPacking().pack('another')))).toEqual({ text: 'another' });
    expect(reads).toBe(2);
  });

  it.each([
    ['packed with another dictionary', Buffer.from([9, 0, 0, 1, 3])],
    ['damaged', Buffer.from([1, 0, 0, 3, 0xff, 0xff, 0xff])],
    ['cut off', Buffer.from([1, 0])],
  ])('throws UnreadableError if it is %s', (_what, p0) => {
    expect(() => read({ p0 })).toThrow(UnreadableError);
  });
});
